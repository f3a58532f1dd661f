"""Prints what Python's zipfile makes of each archive named on a line of the input, as a line of JSON."""

import hashlib
import json
import sys
import zipfile


def contents(path):
    try:
        with zipfile.ZipFile(path) as archive:
            files = [i for i in archive.infolist() if not i.is_dir()]
            return {"files": [[i.filename, hashlib.sha256(archive.read(i)).hexdigest()] for i in files]}
    except Exception as error:
        return {"error": repr(error)}


for line in sys.stdin:
    print(json.dumps(contents(line.rstrip("\n"))))
