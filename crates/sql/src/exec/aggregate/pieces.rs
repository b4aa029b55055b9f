//! An Aggregate node taken apart (PhysicalAggregation), and the stages made from it (AggUtils).

use std::sync::Arc;

use super::stage::{AggregateExec, AggregateFunctionCall};
use super::{AggregateKind, AggregateStage};
use crate::error::{Result, SparkError};
use crate::exec::ExecRef;
use crate::exec::bind::{bind, bind_all};
use crate::exec::layout::{ascending, is_sorted_by};
use crate::expr::{AggregateCall, Attribute, Expr, ExprId, Metadata};
use crate::planner::text;
use crate::types::DataType;

/// What the stages of one aggregation share.
#[derive(Clone, Debug)]
pub struct AggregatePieces {
    /// Named grouping expressions over the child.
    pub grouping: Vec<Expr>,
    /// The columns they give.
    pub grouping_attributes: Vec<Arc<Attribute>>,
    /// Each different function once.
    pub functions: Vec<AggregateCall>,
    /// Buffer columns of each function (inputAggBufferAttributes).
    pub buffers: Vec<Vec<Arc<Attribute>>>,
    /// Named result expressions over grouping and result columns.
    pub results: Vec<Expr>,
    pub kind: AggregateKind,
}

/// The column of a function's result (AggregateExpression.resultAttribute).
pub fn result_attribute(call: &AggregateCall) -> Attribute {
    Attribute {
        id: call.id,
        name: text::aggregate(call).into(),
        data_type: call.data_type.clone(),
        nullable: call.nullable,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    }
}

fn attribute(name: &str, data_type: DataType, nullable: bool) -> Arc<Attribute> {
    Arc::new(Attribute {
        id: ExprId::fresh(),
        name: name.into(),
        data_type,
        nullable,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    })
}

/// The same function of the same arguments.
fn same_call(a: &AggregateCall, b: &AggregateCall) -> bool {
    let same =
        |x: &[Expr], y: &[Expr]| x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.canonical() == y.canonical());
    a.name == b.name
        && a.distinct == b.distinct
        && a.data_type == b.data_type
        && same(&a.args, &b.args)
        && a.filter.as_ref().map(Expr::canonical) == b.filter.as_ref().map(Expr::canonical)
        // What an argument has become part of, such as IGNORE NULLS.
        && format!("{:?}", a.function) == format!("{:?}", b.function)
}

/// A result expression over grouping and result columns.
fn replace(expr: Expr, functions: &[AggregateCall], keys: &[(Expr, Arc<Attribute>)]) -> Expr {
    match &expr {
        Expr::Aggregate(call) => match functions.iter().find(|f| same_call(f, call)) {
            Some(known) => return Expr::Attribute(Arc::new(result_attribute(known))),
            None => return expr,
        },
        Expr::Alias(_) | Expr::Literal { .. } => {}
        other => {
            let canonical = other.canonical();
            if let Some((_, a)) = keys.iter().find(|(k, _)| *k == canonical) {
                return Expr::Attribute(match other {
                    // The column keeps the name, qualifier and metadata it has in the list.
                    Expr::Attribute(own) => Arc::new(Attribute { id: a.id, ..(**own).clone() }),
                    _ => Arc::clone(a),
                });
            }
        }
    }
    expr.map_children(&mut |child| replace(child, functions, keys))
}

/// Takes `Aggregate(grouping, list, child)` apart. `grouping` and `list` are resolved; `list` is named.
pub fn plan_aggregate_pieces(grouping: &[Expr], list: &[Expr]) -> Result<AggregatePieces> {
    let grouping: Vec<Expr> = grouping
        .iter()
        .map(|g| match g {
            Expr::Attribute(_) | Expr::Alias(_) => g.clone(),
            // Catalyst keeps an alias of the same expression in the list apart, under its own id.
            other => other.clone().alias(&text::expression(other)),
        })
        .collect();
    let grouping_attributes: Vec<Arc<Attribute>> = grouping.iter().map(Expr::to_attribute).collect();
    let mut functions: Vec<AggregateCall> = Vec::new();
    for expr in list {
        expr.visit(&mut |e| {
            if let Expr::Aggregate(call) = e
                && !functions.iter().any(|f| same_call(f, call))
            {
                functions.push((**call).clone());
            }
        });
    }
    let keys: Vec<(Expr, Arc<Attribute>)> =
        grouping.iter().zip(&grouping_attributes).map(|(g, a)| (g.unaliased().canonical(), Arc::clone(a))).collect();
    let results = list
        .iter()
        .map(|named| {
            let replaced = replace(named.clone(), &functions, &keys);
            match replaced {
                done @ (Expr::Attribute(_) | Expr::Alias(_)) => done,
                other => other.alias(&text::expression(named)),
            }
        })
        .collect();
    let buffers: Vec<Vec<Arc<Attribute>>> = functions
        .iter()
        .map(|f| f.function.buffer().into_iter().map(|(name, t, n)| attribute(&name, t, n)).collect())
        .collect();
    let kind = choose_kind(&functions);
    Ok(AggregatePieces { grouping, grouping_attributes, functions, buffers, results, kind })
}

/// AggUtils.createAggregate: hash when all buffers can be changed in place, else object hash when a function keeps an object,
/// else sort.
fn choose_kind(functions: &[AggregateCall]) -> AggregateKind {
    let mutable = |t: &DataType| {
        matches!(
            t,
            DataType::Null
                | DataType::Boolean
                | DataType::Byte
                | DataType::Short
                | DataType::Integer
                | DataType::Long
                | DataType::Float
                | DataType::Double
                | DataType::Date
                | DataType::Timestamp
                | DataType::TimestampNtz
                | DataType::Time(_)
                | DataType::Decimal { .. }
                | DataType::CalendarInterval
                | DataType::YearMonthInterval { .. }
                | DataType::DayTimeInterval { .. }
        )
    };
    let object = functions.iter().any(|f| f.function.is_object());
    let fixed = functions.iter().all(|f| f.function.buffer().iter().all(|(_, t, _)| mutable(t)));
    if fixed && !object {
        AggregateKind::Hash
    } else if object {
        AggregateKind::Object
    } else {
        AggregateKind::Sort
    }
}

impl AggregatePieces {
    /// The same with functions of distinct values after the others.
    pub fn distinct_last(&self) -> Self {
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        order.sort_by_key(|i| self.functions[*i].distinct);
        Self {
            functions: order.iter().map(|i| self.functions[*i].clone()).collect(),
            buffers: order.iter().map(|i| self.buffers[*i].clone()).collect(),
            ..self.clone()
        }
    }

    /// Grouping columns and buffers: what partial stages give and merging stages read.
    pub fn partial_output(&self) -> Vec<Arc<Attribute>> {
        self.grouping_attributes.iter().chain(self.buffers.iter().flatten()).cloned().collect()
    }

    /// A stage over `child`: input rows for stages that update, rows of [`Self::partial_output`] for those that merge.
    pub fn stage(&self, stage: AggregateStage, child: ExecRef) -> Result<ExecRef> {
        let modes = vec![stage; self.functions.len()];
        self.mixed_stage(stage, &modes, child)
    }

    /// A stage whose functions differ in mode; `stage` says how the keys are read and what comes out.
    pub fn mixed_stage(&self, stage: AggregateStage, modes: &[AggregateStage], child: ExecRef) -> Result<ExecRef> {
        let input = child.output().to_vec();
        let grouped: Vec<Expr> = if stage.updates() {
            self.grouping.clone()
        } else {
            self.grouping_attributes.iter().cloned().map(Expr::Attribute).collect()
        };
        let keys = bind_all(&grouped, &input)?;
        let mut functions = Vec::new();
        for ((call, buffer), mode) in self.functions.iter().zip(&self.buffers).zip(modes) {
            let mut made = AggregateFunctionCall {
                call: call.clone(),
                stage: *mode,
                args: Vec::new(),
                filter: None,
                buffer: Vec::new(),
            };
            if mode.updates() {
                made.args = bind_all(&call.args, &input)?;
                made.filter = call.filter.as_ref().map(|f| bind(f, &input)).transpose()?;
            } else {
                for column in buffer {
                    let at = input.iter().position(|i| i.id == column.id).ok_or_else(|| {
                        SparkError::internal(format!("no buffer column {} in the input of an aggregation", column.name))
                    })?;
                    made.buffer.push(at);
                }
            }
            functions.push(made);
        }
        let (results, output) = if stage.finishes() {
            let inner: Vec<Arc<Attribute>> = self
                .grouping_attributes
                .iter()
                .cloned()
                .chain(self.functions.iter().map(|f| Arc::new(result_attribute(f))))
                .collect();
            let output = self.results.iter().map(Expr::to_attribute).collect();
            (Some(bind_all(&self.results, &inner)?), output)
        } else {
            (None, self.partial_output())
        };
        let shown_keys = if stage.updates() {
            text::expressions(&self.grouping)
        } else {
            text::attributes(&self.grouping_attributes)
        };
        let prefix = |mode: &AggregateStage| match mode {
            AggregateStage::Partial => "partial_",
            AggregateStage::PartialMerge => "merge_",
            AggregateStage::Final | AggregateStage::Complete => "",
        };
        let shown: Vec<String> =
            self.functions.iter().zip(modes).map(|(f, m)| format!("{}{}", prefix(m), text::aggregate(f))).collect();
        // ReplaceHashWithSortAgg.
        let sorted = !grouped.is_empty() && is_sorted_by(&child.ordering(), &ascending(&grouped));
        Ok(Arc::new(AggregateExec {
            kind: if sorted { AggregateKind::Sort } else { self.kind },
            grouping: self.grouping_attributes.clone(),
            keys,
            functions,
            results,
            output,
            shown_keys,
            shown_functions: format!("[{}]", shown.join(", ")),
            child,
        }))
    }

    /// Input rows to partial rows, per partition.
    pub fn partial(&self, child: ExecRef) -> Result<ExecRef> {
        self.stage(AggregateStage::Partial, child)
    }

    /// Partial rows to partial rows, equal keys of a partition merged.
    pub fn merge(&self, child: ExecRef) -> Result<ExecRef> {
        self.stage(AggregateStage::PartialMerge, child)
    }

    /// Partial rows to results.
    pub fn finish(&self, child: ExecRef) -> Result<ExecRef> {
        self.stage(AggregateStage::Final, child)
    }
}
