//! microschema-benches
