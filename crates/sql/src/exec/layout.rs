//! How the rows of an operator lie: over partitions (outputPartitioning) and within each of them (outputOrdering). An operator
//! that finds them as it needs them gets no exchange and no sort (EnsureRequirements, RemoveRedundantSorts).

use crate::expr::{Expr, ExprId, SortOrder};

/// A column that rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortedBy {
    pub column: ExprId,
    pub ascending: bool,
    pub nulls_first: bool,
}

impl SortedBy {
    /// The leading orders that are of plain columns.
    pub fn columns(order: &[SortOrder]) -> Vec<Self> {
        order.iter().map_while(Self::column).collect()
    }

    fn column(order: &SortOrder) -> Option<Self> {
        match &order.child {
            Expr::Attribute(a) => {
                Some(Self { column: a.id, ascending: order.ascending, nulls_first: order.nulls_first })
            }
            _ => None,
        }
    }
}

/// Ascending order by these keys, nulls first.
pub fn ascending(keys: &[Expr]) -> Vec<SortOrder> {
    keys.iter().map(|key| SortOrder { child: key.clone(), ascending: true, nulls_first: true }).collect()
}

/// Whether rows sorted by `have` are sorted as `wanted` (SortOrder.orderingSatisfies).
pub fn is_sorted_by(have: &[SortedBy], wanted: &[SortOrder]) -> bool {
    wanted.len() <= have.len() && wanted.iter().zip(have).all(|(w, h)| SortedBy::column(w).as_ref() == Some(h))
}

/// How rows are laid over partitions.
#[derive(Clone, Debug, PartialEq)]
pub enum Partitioning {
    Unknown,
    Single,
    /// pmod(murmur3(keys, 42), partitions) over these attributes.
    Hash {
        keys: Vec<ExprId>,
        partitions: usize,
    },
    /// The attribute holds the partition's number.
    Id {
        key: ExprId,
    },
    /// Ranges, one after the other; rows that are equal in all columns lie together.
    Range {
        order: Vec<SortedBy>,
    },
}

impl Partitioning {
    /// That of ranges by `order`.
    pub fn ranges(order: &[SortOrder]) -> Self {
        let columns = SortedBy::columns(order);
        if columns.len() == order.len() { Self::Range { order: columns } } else { Self::Unknown }
    }

    /// Whether rows of equal `keys` lie in one partition (ClusteredDistribution).
    pub fn clusters(&self, keys: &[ExprId]) -> bool {
        match self {
            Self::Single => true,
            Self::Hash { keys: own, .. } => !own.is_empty() && own.iter().all(|k| keys.contains(k)),
            Self::Id { key } => keys.contains(key),
            Self::Range { order } => order.iter().all(|o| keys.contains(&o.column)),
            Self::Unknown => false,
        }
    }

    /// Whether the rows of one partition come before those of the next in this order (OrderedDistribution).
    pub fn orders(&self, wanted: &[SortOrder]) -> bool {
        match self {
            Self::Single => true,
            Self::Range { order } => wanted.iter().zip(order).all(|(w, o)| SortedBy::column(w).as_ref() == Some(o)),
            _ => false,
        }
    }

    /// The same layout where columns have other names, or none (PartitioningPreservingUnaryExecNode).
    #[must_use]
    pub fn renamed(self, name_of: &dyn Fn(ExprId) -> Option<ExprId>) -> Self {
        match self {
            Self::Hash { keys, partitions } => keys
                .into_iter()
                .map(name_of)
                .collect::<Option<_>>()
                .map_or(Self::Unknown, |keys| Self::Hash { keys, partitions }),
            Self::Id { key } => name_of(key).map_or(Self::Unknown, |key| Self::Id { key }),
            Self::Range { order } => order
                .into_iter()
                .map(|o| Some(SortedBy { column: name_of(o.column)?, ..o }))
                .collect::<Option<_>>()
                .map_or(Self::Unknown, |order| Self::Range { order }),
            other => other,
        }
    }
}
