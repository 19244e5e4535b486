//! Sums of products with factors, and a number: values, compared part by part.

use super::Product;
use crate::base::Handle;

/// Products of a sum.
pub(super) const MOST_TERMS: usize = 6;

/// A number, and products with their factors, in the order of products, none of them 0.
#[derive(Copy, Clone)]
pub struct Sum {
    constant: i64,
    terms: [(Product, i64); MOST_TERMS],
    count: u8,
}

impl PartialEq for Sum {
    fn eq(&self, other: &Sum) -> bool {
        self.constant == other.constant && self.terms() == other.terms()
    }
}

impl Eq for Sum {}

impl std::fmt::Debug for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Sum").field(&self.constant).field(&self.terms()).finish()
    }
}

impl Sum {
    /// A number.
    pub fn number(constant: i64) -> Sum {
        Sum { constant, terms: [(Product::new(0), 0); MOST_TERMS], count: 0 }
    }

    /// A product.
    pub fn product(product: Product) -> Sum {
        let mut sum = Sum::number(0);
        sum.terms[0] = (product, 1);
        sum.count = 1;
        sum
    }

    /// The number in it.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// Products and their factors.
    pub fn terms(&self) -> &[(Product, i64)] {
        &self.terms[..self.count as usize]
    }

    /// The number that it is, if it is one.
    pub fn as_number(&self) -> Option<i64> {
        (self.count == 0).then_some(self.constant)
    }

    /// With a multiple of a product; none if it does not fit.
    pub fn with(mut self, product: Product, factor: i64) -> Option<Sum> {
        self.add(product, factor)?;
        Some(self)
    }

    /// Adds a multiple of a product, in place; none, and anything, if it does not fit.
    fn add(&mut self, product: Product, factor: i64) -> Option<()> {
        let count = self.count as usize;
        let at = self.terms().iter().position(|term| term.0 >= product).unwrap_or(count);
        if at < count && self.terms[at].0 == product {
            self.terms[at].1 = self.terms[at].1.checked_add(factor)?;
            if self.terms[at].1 == 0 {
                self.terms.copy_within(at + 1..count, at);
                self.count -= 1;
            }
        } else if factor != 0 {
            if count == MOST_TERMS {
                return None;
            }
            self.terms.copy_within(at..count, at + 1);
            self.terms[at] = (product, factor);
            self.count += 1;
        }
        Some(())
    }

    /// With a number, modulo 2^64.
    pub fn and(&self, number: i64) -> Sum {
        Sum { constant: self.constant.wrapping_add(number), ..*self }
    }

    /// With so many times another sum; none if it does not fit.
    pub fn plus(mut self, other: &Sum, by: i64) -> Option<Sum> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(by)?)?;
        for &(product, factor) in other.terms() {
            self.add(product, factor.checked_mul(by)?)?;
        }
        Some(self)
    }

    /// So many times the sum; none if it does not fit.
    pub fn times(mut self, by: i64) -> Option<Sum> {
        if by == 0 {
            return Some(Sum::number(0));
        }
        self.constant = self.constant.checked_mul(by)?;
        for term in &mut self.terms[..self.count as usize] {
            term.1 = term.1.checked_mul(by)?;
        }
        Some(self)
    }

    /// How far it is from another one, if that is a number.
    pub fn distance(&self, other: &Sum) -> Option<i64> {
        if self.terms() == other.terms() { self.constant.checked_sub(other.constant) } else { None }
    }
}
