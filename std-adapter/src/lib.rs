//! microschema-mcp

#![forbid(unsafe_code)]
#![deny(missing_docs, rustdoc::broken_intra_doc_links)]

mod value;

pub use value::{Items, Members, Place, Tree};
