//! microschema-mcp
