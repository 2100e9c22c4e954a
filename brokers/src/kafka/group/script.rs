//! Scripts of consumer groups: names to numbers, words to calls.

/// Positions of the names in the order in which a Java `HashMap` with these keys is walked, where they were put in the
/// given order. The sticky assignors walk members in it, and who comes first keeps the larger share.
///
/// Source: `java.util.HashMap` and `String.hashCode` of OpenJDK; bins as lists.
#[must_use]
pub fn java_order(names: &[&str]) -> Vec<usize> {
    let mut capacity = 16_u32;
    while names.len() * 4 > capacity as usize * 3 {
        capacity *= 2;
    }
    let bin = |name: &str| {
        let hash = name.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
        (hash ^ (hash >> 16)) & (capacity - 1)
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&at| bin(names[at]));
    order
}
