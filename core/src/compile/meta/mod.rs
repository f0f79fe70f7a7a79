//! The meta-schemas of all dialects, as published, for schemas that refer to them.

/// URI and text of the meta-schemas of all dialects, as published. In all 22 KiB of flash.
pub static META_SCHEMAS: &[(&str, &[u8])] = &[
    ("http://json-schema.org/draft-04/schema", include_bytes!("draft-04.json")),
    ("http://json-schema.org/draft-06/schema", include_bytes!("draft-06.json")),
    ("http://json-schema.org/draft-07/schema", include_bytes!("draft-07.json")),
    ("https://json-schema.org/draft/2019-09/schema", include_bytes!("2019-09/schema.json")),
    ("https://json-schema.org/draft/2019-09/meta/applicator", include_bytes!("2019-09/applicator.json")),
    ("https://json-schema.org/draft/2019-09/meta/content", include_bytes!("2019-09/content.json")),
    ("https://json-schema.org/draft/2019-09/meta/core", include_bytes!("2019-09/core.json")),
    ("https://json-schema.org/draft/2019-09/meta/format", include_bytes!("2019-09/format.json")),
    ("https://json-schema.org/draft/2019-09/meta/meta-data", include_bytes!("2019-09/meta-data.json")),
    ("https://json-schema.org/draft/2019-09/meta/validation", include_bytes!("2019-09/validation.json")),
    ("https://json-schema.org/draft/2020-12/schema", include_bytes!("2020-12/schema.json")),
    ("https://json-schema.org/draft/2020-12/meta/applicator", include_bytes!("2020-12/applicator.json")),
    ("https://json-schema.org/draft/2020-12/meta/content", include_bytes!("2020-12/content.json")),
    ("https://json-schema.org/draft/2020-12/meta/core", include_bytes!("2020-12/core.json")),
    ("https://json-schema.org/draft/2020-12/meta/format-annotation", include_bytes!("2020-12/format-annotation.json")),
    ("https://json-schema.org/draft/2020-12/meta/format-assertion", include_bytes!("2020-12/format-assertion.json")),
    ("https://json-schema.org/draft/2020-12/meta/meta-data", include_bytes!("2020-12/meta-data.json")),
    ("https://json-schema.org/draft/2020-12/meta/unevaluated", include_bytes!("2020-12/unevaluated.json")),
    ("https://json-schema.org/draft/2020-12/meta/validation", include_bytes!("2020-12/validation.json")),
];
