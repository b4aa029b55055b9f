//! Exact decimal arithmetic in 256 bits, rounded half up to the result type.

use arrow::datatypes::i256;

use crate::value::text::digits;

fn pow(n: u32) -> Option<i256> {
    i256::from_i128(10).checked_pow(n)
}

/// n / 10^by, rounded half up.
fn shrink(n: i256, by: u32) -> Option<i256> {
    let Some(divisor) = pow(by) else { return Some(i256::ZERO) };
    let (q, r) = (n.checked_div(divisor)?, n.checked_rem(divisor)?);
    let double = r.wrapping_abs().checked_mul(i256::from_i128(2))?;
    if double >= divisor {
        let one = i256::from_i128(if n < i256::ZERO { -1 } else { 1 });
        return q.checked_add(one);
    }
    Some(q)
}

fn rescale(n: i256, from: i32, to: i32) -> Option<i256> {
    if to >= from { n.checked_mul(pow((to - from) as u32)?) } else { shrink(n, (from - to) as u32) }
}

fn fit(n: i256, precision: u8) -> Option<i128> {
    let n = n.to_i128()?;
    (digits(n) <= u32::from(precision)).then_some(n)
}

/// An operation's exact outcome at the result type, or the text of the value that does not fit.
pub(in crate::functions) type Outcome = Result<i128, String>;

/// The plain text of what does not fit.
fn text(n: i256, scale: i32) -> String {
    let raw = n.to_string();
    let (sign, body) = raw.strip_prefix('-').map_or(("", raw.as_str()), |b| ("-", b));
    if scale <= 0 {
        return format!("{sign}{body}");
    }
    let scale = scale as usize;
    let padded =
        if body.len() <= scale { format!("{}{body}", "0".repeat(scale + 1 - body.len())) } else { body.to_owned() };
    format!("{sign}{}.{}", &padded[..padded.len() - scale], &padded[padded.len() - scale..])
}

fn settle(exact: Option<i256>, scale: i32, precision: u8, to: i8) -> Outcome {
    let Some(exact) = exact else { return Err(String::new()) };
    rescale(exact, scale, i32::from(to)).and_then(|n| fit(n, precision)).ok_or_else(|| text(exact, scale))
}

/// A sum or product in 128 bits that is the result as it stands; the rest goes through 256 bits.
fn small(n: Option<i128>, scale: i32, precision: u8, to: i8) -> Option<i128> {
    n.filter(|n| scale == i32::from(to) && digits(*n) <= u32::from(precision))
}

pub(super) fn add(a: (i128, i8), b: (i128, i8), precision: u8, to: i8) -> Outcome {
    if a.1 == b.1
        && let Some(sum) = small(a.0.checked_add(b.0), i32::from(a.1), precision, to)
    {
        return Ok(sum);
    }
    let scale = i32::from(a.1.max(b.1));
    let wide = |v: (i128, i8)| rescale(i256::from_i128(v.0), i32::from(v.1), scale);
    let sum = wide(a).zip(wide(b)).and_then(|(x, y)| x.checked_add(y));
    settle(sum, scale, precision, to)
}

pub(super) fn multiply(a: (i128, i8), b: (i128, i8), precision: u8, to: i8) -> Outcome {
    if let Some(product) = small(a.0.checked_mul(b.0), i32::from(a.1) + i32::from(b.1), precision, to) {
        return Ok(product);
    }
    let product = i256::from_i128(a.0).checked_mul(i256::from_i128(b.0));
    let scale = i32::from(a.1) + i32::from(b.1);
    match product {
        Some(product) => {
            let (kept, dropped) = significant(product);
            let done = settle(Some(kept), scale - dropped, precision, to);
            done.map_err(|shown| if dropped > scale { format!("{shown}{}", zeros(dropped - scale)) } else { shown })
        }
        None => settle(None, scale, precision, to),
    }
}

/// The first 39 digits of a number, the rest cut off, and how many were (Decimal.MATH_CONTEXT).
fn significant(n: i256) -> (i256, i32) {
    let length = n.wrapping_abs().to_string().len() as i32;
    match u32::try_from(length - 39).ok().and_then(pow) {
        Some(divisor) if length > 39 => (n.checked_div(divisor).unwrap_or(n), length - 39),
        _ => (n, 0),
    }
}

fn zeros(count: i32) -> String {
    "0".repeat(usize::try_from(count).unwrap_or(0))
}

/// a / b at `scale` digits after the point, rounded half up.
fn quotient(a: (i128, i8), b: (i128, i8), scale: i32) -> Option<i256> {
    let shift = scale + i32::from(b.1) - i32::from(a.1);
    let (mut n, mut d) = (i256::from_i128(a.0), i256::from_i128(b.0));
    if shift >= 0 {
        n = n.checked_mul(pow(shift as u32)?)?;
    } else {
        d = d.checked_mul(pow(shift.unsigned_abs())?)?;
    }
    let (q, r) = (n.checked_div(d)?, n.checked_rem(d)?);
    let double = r.wrapping_abs().checked_mul(i256::from_i128(2))?;
    if double >= d.wrapping_abs() {
        let one = i256::from_i128(if (n < i256::ZERO) == (d < i256::ZERO) { 1 } else { -1 });
        return q.checked_add(one);
    }
    Some(q)
}

/// Decimal./ : at 38 digits after the point first (DecimalType.MAX_SCALE), then at the result's scale.
pub(in crate::functions) fn divide(a: (i128, i8), b: (i128, i8), precision: u8, to: i8) -> Outcome {
    match quotient(a, b, 38) {
        Some(q) => settle(Some(q), 38, precision, to),
        None => settle(quotient(a, b, i32::from(to)), i32::from(to), precision, to),
    }
}

pub(super) fn remainder(a: (i128, i8), b: (i128, i8), precision: u8, to: i8) -> Outcome {
    let scale = i32::from(a.1.max(b.1));
    let wide = |v: (i128, i8)| rescale(i256::from_i128(v.0), i32::from(v.1), scale);
    let rem = wide(a).zip(wide(b)).and_then(|(x, y)| x.checked_rem(y));
    settle(rem, scale, precision, to)
}

/// The whole part of a / b.
pub(super) fn integral_quotient(a: (i128, i8), b: (i128, i8)) -> Option<i128> {
    let scale = i32::from(a.1.max(b.1));
    let wide = |v: (i128, i8)| rescale(i256::from_i128(v.0), i32::from(v.1), scale);
    wide(a).zip(wide(b)).and_then(|(x, y)| x.checked_div(y)).and_then(|q| q.to_i128())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_half_up() {
        assert_eq!(divide((1000, 2), (30000, 4), 27, 15), Ok(3_333_333_333_333_333));
        assert_eq!(multiply((15, 1), (15, 1), 4, 2), Ok(225));
        assert_eq!(add((99, 0), (1, 0), 2, 0), Err("100".into()));
        assert_eq!(remainder((1000, 2), (30000, 4), 12, 4), Ok(10000));
    }
}
