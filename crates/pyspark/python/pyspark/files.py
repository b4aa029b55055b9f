"""Files of SparkContext.addFile, which stay where they are."""

__all__ = ["SparkFiles"]


class SparkFiles:
    @classmethod
    def get(cls, filename):
        import os

        return os.path.join(cls.getRootDirectory(), filename)

    @classmethod
    def getRootDirectory(cls):
        import os

        return os.getcwd()
