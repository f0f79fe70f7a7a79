//! Links for the machine.
fn main() {
    machine::link();
}
