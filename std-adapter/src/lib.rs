//! microschema-mcp

pub mod output;
