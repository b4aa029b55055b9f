"""Texts of PySpark's own error conditions."""

from pyspark.errors._conditions import CONDITIONS, SQL_STATES


class ErrorClassesReader:
    """Fills the template of a condition; every parameter must be there and none too many."""

    def get_error_message(self, errorClass, messageParameters):
        template = self.get_message_template(errorClass)
        for name, value in messageParameters.items():
            template = template.replace(f"<{name}>", str(value))
        return template

    def get_message_template(self, errorClass):
        if errorClass not in CONDITIONS:
            raise ValueError(f"Cannot find main error class '{errorClass}'")
        return CONDITIONS[errorClass]

    def get_sqlstate(self, errorClass):
        return SQL_STATES.get(errorClass)
