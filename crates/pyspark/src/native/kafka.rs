//! `_tidemark_kafka`: the session's Kafka broker for `tidemark.kafka`.

pub(crate) use _tidemark_kafka::module_def;

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use tidemark_streaming::kafka::{BrokerError, BrokerResult};

/// The exception of `tidemark.kafka` for what the broker refused.
fn refused(error: &BrokerError, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let make = || -> PyResult<PyObjectRef> {
        let module = vm.import("tidemark.kafka", 0)?.get_attr("kafka", vm)?;
        module.get_attr("_error", vm)?.call((error.class.to_pyobject(vm), error.message.as_str().to_pyobject(vm)), vm)
    };
    match make().map(|object| object.downcast()) {
        Ok(Ok(exception)) => exception,
        Ok(Err(_)) => vm.new_runtime_error(error.message.clone()),
        Err(exception) => exception,
    }
}

fn checked<T>(result: BrokerResult<T>, vm: &VirtualMachine) -> PyResult<T> {
    result.map_err(|error| refused(&error, vm))
}

#[rustpython_vm::pymodule]
mod _tidemark_kafka {
    use std::collections::BTreeMap;

    use rustpython_vm::builtins::{PyDictRef, PyTupleRef};
    use rustpython_vm::convert::ToPyObject;
    use rustpython_vm::function::ArgBytesLike;
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
    use tidemark_streaming::kafka::{Message, Record};

    use super::checked;
    use crate::state::{State, current};

    fn now_ms(state: &State) -> i64 {
        state.now_us().div_euclid(1000)
    }

    fn settings(config: &PyDictRef, vm: &VirtualMachine) -> PyResult<BTreeMap<String, String>> {
        Ok(crate::native::frame::options(config, vm)?.into_iter().collect())
    }

    #[pyfunction]
    fn create_topic(name: String, partitions: i32, config: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        let config = settings(&config, vm)?;
        checked(state.streaming.broker().create_topic(&name, partitions, config, now_ms(&state)), vm)
    }

    #[pyfunction]
    fn delete_topic(name: String, vm: &VirtualMachine) -> PyResult<()> {
        checked(current(vm)?.streaming.broker().delete_topic(&name), vm)
    }

    #[pyfunction]
    fn add_partitions(name: String, total: i32, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.streaming.broker().add_partitions(&name, total, now_ms(&state)), vm)
    }

    #[pyfunction]
    fn configure(name: String, config: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        let config = settings(&config, vm)?;
        checked(state.streaming.broker().configure(&name, config, now_ms(&state)), vm)
    }

    /// (name, partitions) by name.
    #[pyfunction]
    fn topics(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let broker = current(vm)?.streaming.broker();
        let mut rows = Vec::new();
        for name in broker.topics() {
            let partitions = checked(broker.topic(&name), vm)?.partitions();
            rows.push(vm.ctx.new_tuple(vec![name.to_pyobject(vm), partitions.to_pyobject(vm)]).into());
        }
        Ok(vm.ctx.new_list(rows).into())
    }

    /// Earliest and latest offset of each partition.
    #[pyfunction]
    fn ranges(name: String, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let state = current(vm)?;
        let ranges = checked(state.streaming.broker().ranges(&name, now_ms(&state)), vm)?;
        let rows = ranges
            .into_iter()
            .map(|range| vm.ctx.new_tuple(vec![range.earliest.to_pyobject(vm), range.latest.to_pyobject(vm)]).into());
        Ok(vm.ctx.new_list(rows.collect()).into())
    }

    fn bytes(bytes: Option<ArgBytesLike>) -> Option<Vec<u8>> {
        bytes.map(|bytes| bytes.with_ref(<[u8]>::to_vec))
    }

    /// The partition and offset that the message got. `headers`: tuples of name and bytes.
    #[pyfunction]
    fn produce(
        topic: String,
        value: Option<ArgBytesLike>,
        key: Option<ArgBytesLike>,
        partition: Option<i32>,
        headers: Vec<PyTupleRef>,
        timestamp_ms: Option<i64>,
        vm: &VirtualMachine,
    ) -> PyResult<(i32, i64)> {
        let state = current(vm)?;
        let mut message =
            Message { partition, timestamp_ms, key: bytes(key), value: bytes(value), headers: Vec::new() };
        for header in headers {
            let (name, value) = header.extract_tuple::<(String, Option<ArgBytesLike>)>(vm)?;
            message.headers.push((name, bytes(value)));
        }
        checked(state.streaming.broker().produce(&topic, message, now_ms(&state)), vm)
    }

    #[pyfunction]
    fn delete_records(topic: String, partition: i32, offset: i64, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        checked(state.streaming.broker().delete_records(&topic, partition, offset, now_ms(&state)), vm)
    }

    fn optional(bytes: Option<&Vec<u8>>, vm: &VirtualMachine) -> PyObjectRef {
        bytes.map_or_else(|| vm.ctx.none(), |bytes| vm.ctx.new_bytes(bytes.clone()).into())
    }

    fn row(offset: i64, record: &Record, vm: &VirtualMachine) -> PyObjectRef {
        let headers = record.headers.iter().map(|(name, value)| {
            vm.ctx.new_tuple(vec![name.as_str().to_pyobject(vm), optional(value.as_ref(), vm)]).into()
        });
        let fields = vec![
            offset.to_pyobject(vm),
            record.timestamp_ms.to_pyobject(vm),
            optional(record.key.as_ref(), vm),
            optional(record.value.as_ref(), vm),
            vm.ctx.new_list(headers.collect()).into(),
        ];
        vm.ctx.new_tuple(fields).into()
    }

    /// (offset, timestamp in ms, key, value, headers) of a partition's records.
    #[pyfunction]
    fn records(topic: String, partition: i32, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let state = current(vm)?;
        let (first, records) = checked(state.streaming.broker().records(&topic, partition, now_ms(&state)), vm)?;
        let rows = (first..).zip(records.iter()).map(|(offset, record)| row(offset, record, vm)).collect();
        Ok(vm.ctx.new_list(rows).into())
    }
}
