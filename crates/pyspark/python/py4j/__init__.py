"""The part of py4j that scripts catch exceptions by."""
