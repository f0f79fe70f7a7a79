//! Takes what an issue renders, through `Display` and through `Serialize`, and keeps a sum of it: so that an image can
//! be weighed and proven free of panics without a JSON writer's share (serde-json-core has panicking branches).

use core::fmt;

use serde::ser::{self, Impossible, Serialize};

#[derive(Default)]
pub struct Sink(pub u32);

impl Sink {
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.wrapping_mul(31).wrapping_add(byte.into());
        }
    }
}

impl fmt::Write for Sink {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.take(text.as_bytes());
        Ok(())
    }
}

/// Something other than a structure, a sequence, a text or a whole number.
#[derive(Debug)]
pub struct Unexpected;

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unexpected")
    }
}

impl ser::StdError for Unexpected {}

impl ser::Error for Unexpected {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

macro_rules! unexpected {
    ($($method:ident($($type:ty),*);)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<(), Unexpected> { Err(Unexpected) }
    )*};
}

macro_rules! whole {
    ($($method:ident($type:ty);)*) => {$(
        fn $method(self, value: $type) -> Result<(), Unexpected> {
            self.take(&value.to_le_bytes());
            Ok(())
        }
    )*};
}

impl ser::Serializer for &mut Sink {
    type Ok = ();
    type Error = Unexpected;
    type SerializeSeq = Self;
    type SerializeTuple = Impossible<(), Unexpected>;
    type SerializeTupleStruct = Impossible<(), Unexpected>;
    type SerializeTupleVariant = Impossible<(), Unexpected>;
    type SerializeMap = Impossible<(), Unexpected>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Unexpected>;

    whole! {
        serialize_u8(u8); serialize_u16(u16); serialize_u32(u32); serialize_u64(u64);
        serialize_i8(i8); serialize_i16(i16); serialize_i32(i32); serialize_i64(i64);
    }

    unexpected! {
        serialize_bool(bool); serialize_f32(f32); serialize_f64(f64); serialize_char(char);
        serialize_bytes(&[u8]); serialize_unit(); serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_str(self, text: &str) -> Result<(), Unexpected> {
        self.take(text.as_bytes());
        Ok(())
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Unexpected> {
        fmt::Write::write_fmt(self, format_args!("{value}")).map_err(|_| Unexpected)
    }

    fn serialize_none(self) -> Result<(), Unexpected> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unexpected> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Unexpected> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Unexpected> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Unexpected> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Unexpected> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Unexpected> {
        Err(Unexpected)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Unexpected> {
        Err(Unexpected)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unexpected> {
        Err(Unexpected)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Unexpected> {
        Err(Unexpected)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Unexpected> {
        Err(Unexpected)
    }
}

impl ser::SerializeSeq for &mut Sink {
    type Ok = ();
    type Error = Unexpected;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unexpected> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Unexpected> {
        Ok(())
    }
}

impl ser::SerializeStruct for &mut Sink {
    type Ok = ();
    type Error = Unexpected;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unexpected> {
        self.take(name.as_bytes());
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Unexpected> {
        Ok(())
    }
}
