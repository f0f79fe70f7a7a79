//! microschema-tests
