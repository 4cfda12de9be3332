"""What a record of a run costs, in a sentence of its verdict. Words only, no widgets."""

from __future__ import annotations

from html import escape

from algorithms.core.scores import ratio
from algorithms.evaluation.cost_workings import cheapest_guess, summed
from workbench.classify.ledger_model import cost_per_record
from workbench.parts.labels import strong
from workbench.runs import Run
from workbench.session import Session
from workbench.views.figures import price
from workbench.wording import shortened

LONGEST_CLASS = 30


def cost_sentence(run: Run, session: Session) -> str:
    """What a record costs as the run is decided now, beside its model and the cheapest answer for all, as HTML.

    Empty where no costs are set, or where it is not known what this run costs.
    """
    own, report, table = (
        cost_per_record(run, session),
        session.decisions.report_of(run),
        session.decisions.costs_of(run),
    )
    if own is None or report is None or table is None:
        return ""
    cost, itself = own, ""
    if session.outcomes.decided(run) is not None:
        now = session.outcomes.cost_per_record(run)
        if now is None:
            return ""
        cost, itself = now, f" as decided now, {price(own)} as the model itself decides"
    matrix, column = summed(report)
    code, total = cheapest_guess(matrix, table, report.classes, column)
    guess = ratio(total.value or 0.0, float(report.confusion.sum())) or 0.0
    said = escape(shortened(report.classes[code], LONGEST_CLASS, report.classes))
    written, guessed = price(cost), price(guess)
    beside = ", the same" if written == guessed else "" if cost < guess else ", less"
    return (
        f"With the costs set in Evaluate a record costs {strong(written)}{itself}; always saying <b>{said}</b> "
        f"would cost {guessed}{beside}."
    )
