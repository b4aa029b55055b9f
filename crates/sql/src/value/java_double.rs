//! Double.toString and Float.toString as Java 17 has them (jdk.internal.math.FloatingDecimal): not always the shortest text.

/// Bits of 5^i, as FloatingDecimal counts them (0 for i = 0).
fn bits_of_pow5(i: i32) -> i32 {
    const TABLE: [i32; 27] =
        [0, 3, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28, 31, 33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61];
    TABLE.get(i as usize).copied().unwrap_or(i * 3)
}

pub fn double_to_string(x: f64) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let bits = x.to_bits();
    let negative = bits >> 63 != 0;
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 0 && fraction == 0 {
        return if negative { "-0.0".into() } else { "0.0".into() };
    }
    let (exponent, fraction, significant) = if exponent == 0 {
        let zeros = fraction.leading_zeros() as i32;
        let shift = zeros - 11;
        (1 - shift, fraction << shift, 64 - zeros)
    } else {
        (exponent, fraction | 1 << 52, 53)
    };
    digits(exponent - 1023, fraction, significant).text(negative)
}

pub fn float_to_string(x: f32) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let bits = x.to_bits();
    let negative = bits >> 31 != 0;
    let exponent = ((bits >> 23) & 0xff) as i32;
    let fraction = bits & ((1 << 23) - 1);
    if exponent == 0 && fraction == 0 {
        return if negative { "-0.0".into() } else { "0.0".into() };
    }
    let (exponent, fraction, significant) = if exponent == 0 {
        let zeros = fraction.leading_zeros() as i32;
        let shift = zeros - 8;
        (1 - shift, fraction << shift, 32 - zeros)
    } else {
        (exponent, fraction | 1 << 23, 24)
    };
    digits(exponent - 127, u64::from(fraction) << 29, significant).text(negative)
}

struct Digits {
    digits: Vec<u8>,
    /// Position of the decimal point, counted from the first digit.
    point: i32,
}

impl Digits {
    fn text(&self, negative: bool) -> String {
        let mut out = String::with_capacity(26);
        if negative {
            out.push('-');
        }
        let digit = |d: &u8| char::from(b'0' + d);
        if self.point > 0 && self.point < 8 {
            let whole = self.point as usize;
            for i in 0..whole {
                out.push(self.digits.get(i).map_or('0', digit));
            }
            out.push('.');
            if self.digits.len() > whole {
                out.extend(self.digits[whole..].iter().map(digit));
            } else {
                out.push('0');
            }
        } else if self.point <= 0 && self.point > -3 {
            out.push_str("0.");
            for _ in self.point..0 {
                out.push('0');
            }
            out.extend(self.digits.iter().map(digit));
        } else {
            out.push(digit(&self.digits[0]));
            out.push('.');
            if self.digits.len() > 1 {
                out.extend(self.digits[1..].iter().map(digit));
            } else {
                out.push('0');
            }
            out.push('E');
            out.push_str(&(self.point - 1).to_string());
        }
        out
    }

    fn round_up(&mut self) {
        let mut i = self.digits.len() - 1;
        if self.digits[i] == 9 {
            while self.digits[i] == 9 && i > 0 {
                self.digits[i] = 0;
                i -= 1;
            }
            if self.digits[i] == 9 {
                self.point += 1;
                self.digits[0] = 1;
                return;
            }
        }
        self.digits[i] += 1;
    }
}

/// FloatingDecimal.BinaryToASCIIBuffer.developLongDigits.
fn long_digits(mut value: u64, insignificant: u32) -> Digits {
    let mut exponent = 0;
    if insignificant != 0 {
        let pow10 = 10u64.pow(insignificant);
        let residue = value % pow10;
        value /= pow10;
        exponent += insignificant as i32;
        if residue >= pow10 >> 1 {
            value += 1;
        }
    }
    while value.is_multiple_of(10) {
        value /= 10;
        exponent += 1;
    }
    let digits: Vec<u8> = value.to_string().bytes().map(|b| b - b'0').collect();
    let point = exponent + digits.len() as i32;
    Digits { digits, point }
}

/// FloatingDecimal.BinaryToASCIIBuffer.dtoa.
fn digits(bin_exp: i32, mut fract: u64, significant: i32) -> Digits {
    let tail = fract.trailing_zeros() as i32;
    let n_fract = 53 - tail;
    let tiny = (n_fract - bin_exp - 1).max(0);
    if (-21..=62).contains(&bin_exp) && tiny < 27 && n_fract + bits_of_pow5(tiny) < 64 && tiny == 0 {
        let insignificant = if bin_exp > significant {
            let p = bin_exp - significant - 1;
            if p > 1 && p < 64 { (f64::from(p) * std::f64::consts::LOG10_2) as u32 } else { 0 }
        } else {
            0
        };
        fract = if bin_exp >= 52 { fract << (bin_exp - 52) } else { fract >> (52 - bin_exp) };
        return long_digits(fract, insignificant);
    }
    let mut dec_exp = {
        let d2 = f64::from_bits((1023 << 52) | (fract & ((1 << 52) - 1)));
        ((d2 - 1.5) * 0.289_529_654 + 0.176_091_259 + f64::from(bin_exp) * std::f64::consts::LOG10_2).floor() as i32
    };
    let b5 = (-dec_exp).max(0);
    let mut b2 = b5 + tiny + bin_exp;
    let s5 = dec_exp.max(0);
    let mut s2 = s5 + tiny;
    let m5 = b5;
    let mut m2 = b2 - significant;
    fract >>= tail;
    b2 -= n_fract - 1;
    let common = b2.min(s2);
    b2 -= common;
    s2 -= common;
    m2 -= common;
    if n_fract == 1 {
        m2 -= 1;
    }
    if m2 < 0 {
        b2 -= m2;
        s2 -= m2;
        m2 = 0;
    }
    let b_bits = n_fract + b2 + bits_of_pow5(b5);
    let ten_s_bits = s2 + 1 + bits_of_pow5(s5 + 1);
    let mut out = Digits { digits: Vec::with_capacity(18), point: 0 };
    let (low, high, tie);
    if b_bits < 64 && ten_s_bits < 64 {
        let pow5 = |n: i32| 5u128.pow(n as u32);
        let mut b = (u128::from(fract) * pow5(b5)) << b2;
        let s = pow5(s5) << s2;
        let mut m = pow5(m5) << m2;
        let tens = s * 10;
        let mut q = b / s;
        b = 10 * (b % s);
        m *= 10;
        let mut l = b < m;
        let mut h = b + m > tens;
        if q == 0 && !h {
            dec_exp -= 1;
        } else {
            out.digits.push(q as u8);
        }
        if !(-3..8).contains(&dec_exp) {
            h = false;
            l = false;
        }
        while !l && !h {
            q = b / s;
            b = 10 * (b % s);
            m *= 10;
            l = b < m;
            h = b + m > tens;
            out.digits.push(q as u8);
        }
        low = l;
        high = h;
        tie = (b << 1).cmp(&tens);
    } else {
        let s = Big::pow52(1, s5, s2);
        let mut b = Big::pow52(fract, b5, b2);
        let mut m = Big::pow52(1, m5 + 1, m2 + 1);
        let tens = Big::pow52(1, s5 + 1, s2 + 1);
        let mut q = b.quotient_step(&s);
        let mut l = b.cmp(&m).is_lt();
        let mut h = tens.cmp(&b.plus(&m)).is_le();
        if q == 0 && !h {
            dec_exp -= 1;
        } else {
            out.digits.push(q);
        }
        if !(-3..8).contains(&dec_exp) {
            h = false;
            l = false;
        }
        while !l && !h {
            q = b.quotient_step(&s);
            m.multiply(10);
            l = b.cmp(&m).is_lt();
            h = tens.cmp(&b.plus(&m)).is_le();
            out.digits.push(q);
        }
        low = l;
        high = h;
        b.multiply(2);
        tie = b.cmp(&tens);
    }
    out.point = dec_exp + 1;
    if high {
        let up = !low || tie.is_gt() || (tie.is_eq() && out.digits.last().is_some_and(|d| d & 1 != 0));
        if up {
            out.round_up();
        }
    }
    out
}

/// A non-negative integer, little-endian words without leading zeros.
struct Big(Vec<u32>);

impl Big {
    /// value * 5^p5 * 2^p2.
    fn pow52(value: u64, p5: i32, p2: i32) -> Big {
        let mut b = Big(vec![value as u32, (value >> 32) as u32]);
        b.trim();
        let mut left = p5;
        while left > 0 {
            let step = left.min(13);
            b.multiply(5u32.pow(step as u32));
            left -= step;
        }
        let (words, bits) = ((p2 / 32) as usize, (p2 % 32) as u32);
        if bits > 0 {
            b.multiply(1 << bits);
        }
        b.0.splice(0..0, std::iter::repeat_n(0, words));
        b
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn multiply(&mut self, n: u32) {
        let mut carry = 0u64;
        for w in &mut self.0 {
            let v = u64::from(*w) * u64::from(n) + carry;
            *w = v as u32;
            carry = v >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn plus(&self, other: &Big) -> Big {
        let len = self.0.len().max(other.0.len());
        let mut out = Vec::with_capacity(len + 1);
        let mut carry = 0u64;
        for i in 0..len {
            let v = carry
                + u64::from(self.0.get(i).copied().unwrap_or(0))
                + u64::from(other.0.get(i).copied().unwrap_or(0));
            out.push(v as u32);
            carry = v >> 32;
        }
        if carry > 0 {
            out.push(carry as u32);
        }
        Big(out)
    }

    fn cmp(&self, other: &Big) -> std::cmp::Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn subtract(&mut self, other: &Big) {
        let mut borrow = 0i64;
        for i in 0..self.0.len() {
            let mut v = i64::from(self.0[i]) - i64::from(other.0.get(i).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(v < 0);
            if v < 0 {
                v += 1 << 32;
            }
            self.0[i] = v as u32;
        }
        self.trim();
    }

    /// The quotient by `s` (below 10); leaves ten times the remainder.
    fn quotient_step(&mut self, s: &Big) -> u8 {
        let mut q = 0;
        while self.cmp(s).is_ge() {
            self.subtract(s);
            q += 1;
        }
        self.multiply(10);
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_java_17_prints() {
        for (x, text) in [
            (2e23, "1.9999999999999998E23"),
            (5e22, "4.9999999999999996E22"),
            (9.630805895954475e16, "9.6308058959544752E16"),
            (1.862828583327124e18, "1.86282858332712397E18"),
            (1e23, "9.999999999999999E22"),
            (9007199254740992.0, "9.007199254740992E15"),
            (2f64.powi(60), "1.15292150460684698E18"),
            (2f64.powi(63), "9.223372036854776E18"),
            (1e17, "1.0E17"),
            (2.2250738585072014e-308, "2.2250738585072014E-308"),
            (4.35, "4.35"),
            (2e-3, "0.002"),
            (1.1e-5, "1.1E-5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (12345678.9, "1.23456789E7"),
            (9999999.0, "9999999.0"),
            (5e-324, "4.9E-324"),
            (f64::MAX, "1.7976931348623157E308"),
            (2.0 / 3.0, "0.6666666666666666"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
        ] {
            assert_eq!(double_to_string(x), text);
        }
        for (x, text) in [
            (1e15f32, "9.9999999E14"),
            (1e16, "1.00000003E16"),
            (123456789.0, "1.23456792E8"),
            (16777216.0, "1.6777216E7"),
            (0.1, "0.1"),
            (f32::MAX, "3.4028235E38"),
            (1.4e-45, "1.4E-45"),
            (1.175_494_4e-38, "1.17549435E-38"),
            (8.41e21, "8.41E21"),
            (2.0e10, "2.0E10"),
            (0.3, "0.3"),
        ] {
            assert_eq!(float_to_string(x), text);
        }
    }
}
