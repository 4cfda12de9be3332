"""Compiled loops: the decorators that make them, their arguments by reference, and the load that sees a stop.

Only this module and the modules named ``*kernels.py`` import numba, and nothing imports those before a fit needs them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from algorithms.compiled.kernel_cache import LOCATORS, cache_folder, processor

# mypy: disable-error-code="misc, override, method-assign, no-untyped-call, untyped-decorator"
# mypy: disable-error-code="call-overload, attr-defined"
# The annotations of numba leave out what extends it.

os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())
os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = LOCATORS
os.environ["NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"] = "1"  # it colours messages of thousands of caught errors
if processor():
    os.environ.setdefault("NUMBA_CPU_NAME", processor())
    os.environ.setdefault("NUMBA_CPU_FEATURES", "")

import numba
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.core.imputils import impl_ret_borrowed
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typing.templates import AttributeTemplate

from algorithms.compiled.kernel_locator import TolerantIndex

config.reload_config()  # where another package imported numba before, it has read its environment already

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


class _Library(JITCodeLibrary):
    """The code of a function, optimised and turned into machine code only if Python calls it.

    Other code is optimised once, within each loop that Python calls. By default numba does all this for each function
    on its own, and again for the copies of it in its callers, in their callers, and so on.
    """

    _is_called = False

    def get_pointer_to_function(self, name: str) -> Any:
        if not self._finalized:
            self._is_called = any(function.name == name for function in self.get_defined_functions())
        return super().get_pointer_to_function(name) if self._is_called else 0

    @property
    def codegen(self) -> Any:
        return super().codegen if self._is_called else self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: only machine code has an environment."""

    def _optimize_final_module(self) -> None:
        if self._is_called:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self._is_called:
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def serialize_using_object_code(self) -> Any:
        self._ensure_finalized()
        if self._is_called:
            return super().serialize_using_object_code()
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    def _set_compiled_object(self, value: Any) -> None:
        self._is_called = True
        super()._set_compiled_object(value)


class _CompilerForLoops(Compiler):
    """Leaves out the code that converts Python's arguments, which often takes longer to compile than the loop.

    As an option of the decorator it would make numba compile its own functions again for these loops.
    """

    def define_pipelines(self) -> Any:
        self.state.flags.no_cpython_wrapper = True
        return super().define_pipelines()


cpu_target.target_context.codegen()._library_class = _Library
_DEFAULTS = {name: option.default for name, option in Flags.options.items()}
Flags.values = lambda flags: {**_DEFAULTS, **flags._values}  # as by default, but fast: it is asked for at every call

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function: F) -> F:
    """The function as a compiled loop that releases the interpreter lock and is kept on disk."""
    return cast(F, _loop(function, _Loop, cache=True))


def called_by_loops(function: F) -> F:
    """As :func:`compiled`, for a function that only compiled loops call; a private one is kept only within them."""
    is_public = not function.__name__.startswith("_")
    return cast(F, _loop(function, _LoopForLoops, cache=is_public, pipeline_class=_CompilerForLoops))


def part_of_loop(function: F) -> F:
    """The function inlined into its caller, for large ones that have one caller."""
    return cast(F, _loop(function, _LoopForLoops, cache=False, pipeline_class=_CompilerForLoops, inline="always"))


def _loop(function: Any, kind: type, **options: Any) -> Any:
    """The compiled function of this kind; its index on disk counts as empty if it is unreadable."""
    dispatcher = numba.njit(**_OPTIONS, **options)(function)
    dispatcher.__class__ = kind
    if options["cache"]:
        dispatcher._cache._cache_file.__class__ = TolerantIndex
    return dispatcher


class _Loop(CPUDispatcher):
    """A compiled loop that other loops call with 64-bit integers.

    By default, it is compiled again for each narrower type, and for each constant.
    """

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        named = {name: _widened(argument) for name, argument in named.items()}
        return super().get_call_template(tuple(map(_widened, arguments)), named)


class _LoopForLoops(_Loop):
    """A compiled loop that refuses calls from Python, which would end the process."""

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"only compiled loops can call {self.py_func.__name__}")


def _widened(argument: Any) -> Any:
    plain = types.unliteral(argument)
    return types.int64 if isinstance(plain, types.Integer) and plain.signed else plain


class Reference(types.Type):
    """The type of a named tuple that loops receive as one pointer, to its fields in memory."""

    def __init__(self, kind: type, fields: tuple[tuple[str, Any], ...]) -> None:
        self.kind, self.fields = kind, fields
        digest = hashlib.sha256(repr([(name, str(field)) for name, field in fields]).encode()).hexdigest()
        super().__init__(name=f"{kind.__name__}.{digest[:12]}")

    def place_of(self, field: str) -> int:
        return [name for name, _ in self.fields].index(field)


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Reference) -> None:
        values = [manager.lookup(field).get_value_type() for _, field in kind.fields]
        super().__init__(manager, kind, ir.LiteralStructType(values).as_pointer())


def passed_by_reference(kind: C) -> C:
    """The named tuple, which loops receive as a pointer from now on; they can neither make one nor return its arrays.

    By default, a call between loops passes address, length and strides of each array in the tuple. With dozens of
    arrays they would take most of the compiler's time. Read a field before a loop over records, not for each record.
    """
    names = kind._fields

    @typeof_impl.register(kind)
    def _type_of(value: Any, context: Any) -> Reference:
        return Reference(kind, tuple((name, numba.typeof(item)) for name, item in zip(names, value, strict=True)))

    return kind


@infer_getattr
class _ReferenceFields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, kind: Reference, field: str) -> Any:
        return dict(kind.fields).get(field)


@lower_getattr_generic(Reference)
def _read_field(context: Any, builder: Any, kind: Reference, pointer: Any, field: str) -> Any:
    place = kind.place_of(field)
    field_type, value = kind.fields[place][1], builder.load(cgutils.gep_inbounds(builder, pointer, 0, place))
    if isinstance(field_type, types.Array):  # the call holds it: without an owner, nothing counts references
        array = context.make_array(field_type)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        value = array._getvalue()
    return impl_ret_borrowed(context, builder, field_type, value)


@unbox(Reference)
def _unbox_reference(kind: Reference, value: Any, c: Any) -> Any:
    """Write the fields of a named tuple to memory of the call; the tuple holds the arrays."""
    pointer = cgutils.alloca_once(c.builder, c.context.get_value_type(kind).pointee)
    is_error = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    for place, (_, field) in enumerate(kind.fields):
        item, slot = c.pyapi.tuple_getitem(value, place), cgutils.gep_inbounds(c.builder, pointer, 0, place)
        if isinstance(field, Reference):
            native = c.unbox(field, item)
            c.builder.store(native.value, slot)
            is_wrong = native.is_error
        else:
            is_wrong = c.builder.call(_field_writer(c.context, c.builder.module, field), [item, slot])
        with c.builder.if_then(is_wrong, likely=False):
            c.builder.store(cgutils.true_bit, is_error)
    return NativeValue(pointer, is_error=c.builder.load(is_error))


def _field_writer(context: Any, module: Any, field: Any) -> Any:
    """The function of a module that writes a Python object to memory as a field of this type; returns whether it fails.

    A tuple has many fields of few types, so a function compiles faster than code for each field.
    """
    name = f"field {field}"
    if name in module.globals:
        return module.globals[name]
    memory = context.get_value_type(field).as_pointer()
    function = ir.Function(module, ir.FunctionType(ir.IntType(1), [ir.IntType(8).as_pointer(), memory]), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    uncounted = context.subtarget(enable_nrt=False)
    native = uncounted.get_python_api(builder).to_native_value(field, function.args[0])
    builder.store(native.value, function.args[1])
    builder.ret(native.is_error)
    return function


def _is_place(array: Any, place: Any) -> bool:
    """Whether the arguments are an int64 array and an integer, the place of an item in it."""
    return isinstance(array, types.Array) and array.dtype == types.int64 and isinstance(place, types.Integer)


def _item_address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    place = context.cast(builder, arguments[1], signature.args[1], types.intp)
    return builder.gep(data, [place])


def _atomic_load(typing_context: Any, array: Any, place: Any) -> Any:
    """An item of an int64 array, read from memory each time: a plain read would be hoisted out of a loop.

    What another thread wrote before it wrote this item is seen too.
    """
    if not _is_place(array, place):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _item_address(context, builder, signature, arguments)
        return builder.load_atomic(address, "acquire", 8, typ=ir.IntType(64))

    return types.int64(array, place), generate


def _atomic_change(operation: str) -> Any:
    """An intrinsic that changes an item of an int64 array in one step, by ``operation``, and returns it as it was."""

    def typed(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
        if not (_is_place(array, place) and isinstance(value, types.Integer)):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = _item_address(context, builder, signature, arguments)
            value = context.cast(builder, arguments[2], signature.args[2], types.int64)
            return builder.atomic_rmw(operation, address, value, "acq_rel")

        return types.int64(array, place, value), generate

    return intrinsic(typed)


def _add_in_a_row(typing_context: Any, array: Any, place: Any, first: Any, second: Any, third: Any) -> Any:
    """Add three integers to three neighbouring items of an int64 array, the first at ``place``.

    The address of the first item must be a multiple of 32 bytes. One instruction adds to four items. The fourth gets 0
    added, so it must exist.
    """
    if not (_is_place(array, place) and all(isinstance(value, types.Integer) for value in (first, second, third))):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        four = ir.VectorType(ir.IntType(64), 4)
        added = ir.Constant(four, [0, 0, 0, 0])
        for position in range(3):
            value = context.cast(builder, arguments[2 + position], signature.args[2 + position], types.int64)
            added = builder.insert_element(added, value, ir.Constant(ir.IntType(32), position))
        address = builder.bitcast(_item_address(context, builder, signature, arguments), four.as_pointer())
        builder.store(builder.add(builder.load(address, align=32), added), address, align=32)
        return context.get_dummy_value()

    return types.void(array, place, first, second, third), generate


def _prefetch(typing_context: Any, array: Any, place: Any) -> Any:
    """Ask the processor to read an item of an array into its cache, while the loop goes on; it changes no value."""
    if not (isinstance(array, types.Array) and isinstance(place, types.Integer)):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        address = builder.bitcast(_item_address(context, builder, signature, arguments), pointer)
        to_read, keep, data = ir.Constant(word, 0), ir.Constant(word, 3), ir.Constant(word, 1)
        builder.call(prefetch, [address, to_read, keep, data])
        return context.get_dummy_value()

    return types.void(array, place), generate


def _of_word(instruction: Callable[[Any, Any], Any]) -> Any:
    """An intrinsic from a uint64 to a uint64 by an instruction of the processor."""

    def typed(typing_context: Any, word: Any) -> Any:
        if word != types.uint64:
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return instruction(builder, arguments[0])

        return types.uint64(types.uint64), generate

    return intrinsic(typed)


atomic_item: Any = intrinsic(_atomic_load)
"""``atomic_item(array, place)``: an item of an int64 array as it is in memory now."""
atomic_add: Any = _atomic_change("add")
"""``atomic_add(array, place, value)`` adds to an item of an int64 array in one step and returns it as it was."""
atomic_set: Any = _atomic_change("xchg")
"""``atomic_set(array, place, value)`` replaces an item of an int64 array and returns it as it was."""
prefetch: Any = intrinsic(_prefetch)
"""``prefetch(array, place)``: begin to read an item of an array in one row into the cache."""
add_in_a_row: Any = intrinsic(_add_in_a_row)
"""``add_in_a_row(array, place, first, second, third)`` adds to three neighbouring items; see :func:`_add_in_a_row`."""
lowest_bit: Any = _of_word(lambda builder, word: builder.cttz(word, ir.Constant(ir.IntType(1), 1)))
"""The place of the lowest one of a uint64 that is not zero."""
count_ones: Any = _of_word(lambda builder, word: builder.ctpop(word))
"""The number of ones of a uint64."""


@called_by_loops
def stop_word(control: Any) -> Any:
    """The stop word of a control array (see :mod:`algorithms.core.run_control`), by an atomic load."""
    return atomic_item(control, 0)
