//! The properties of `\p{…}`.
pub(super) const COUNT: u16 = 1;
pub(super) fn find(_name: &[u8]) -> Option<u16> {
    None
}
pub(super) fn contains(_id: u16, _c: u32) -> bool {
    false
}
