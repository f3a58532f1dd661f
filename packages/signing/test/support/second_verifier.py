"""A second verifier, written only from docs/client.md and the READMEs of interop.

Runs the vectors in the given folder, and prints as JSON their number and the names of those with another result.
"""

import base64
import binascii
import datetime
import hashlib
import json
import pathlib
import re
import sys
import urllib.parse
import zipfile

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

P = 2**255 - 19
# The y of every point of low order; each has one or two x.
ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022
LOW_ORDER = {0, 1, P - 1, ORDER_8, P - ORDER_8, P, P + 1}
STALE = datetime.timedelta(hours=3)
AHEAD = datetime.timedelta(hours=1)


class Refused(Exception):
    pass


def canonical(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def raw(key):
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def read_key(pem):
    key = serialization.load_pem_public_key(pem.encode())
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("not Ed25519")
    return key


def id_of(key):
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return "ed25519-" + hashlib.sha256(der).hexdigest()[:16]


def pem_of(key):
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_bytes(serialization.Encoding.PEM, spki).decode()


def decoded(signature):
    """The 64 bytes of a signature in canonical base64; None for anything else."""
    if not isinstance(signature, str):
        return None
    try:
        given = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return None
    return given if len(given) == 64 and base64.b64encode(given).decode() == signature else None


def holds(value, signature, key):
    given = decoded(signature)
    y = int.from_bytes(raw(key), "little") & (2**255 - 1)
    if given is None or y in LOW_ORDER:
        return False
    try:
        key.verify(given, canonical(value))
        return True
    except (InvalidSignature, UnicodeEncodeError):
        return False


def time_of(text):
    """A time in the only valid format; None for anything else."""
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z", text):
        return None
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError:
        return None


def reach_of(manifest):
    remote = manifest["remote"]
    hosts = [urllib.parse.urlsplit(remote["mcpUrl"]).hostname, *remote["domains"]]
    accounts = manifest.get("accounts", [])
    entries = [[one["id"], *(f"{one['id']}:{scope}" for scope in one["scopes"])] for one in accounts]
    return {
        "accounts": sorted({entry for one in entries for entry in one}),
        "domains": sorted({host.lower() for host in hosts}),
        "grants": sorted(set(manifest.get("grants", []))),
    }


def verify_bundle(folder, vector):
    headers, asked = vector["headers"], vector["asked"]
    path = folder / vector["bundle"]
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    with zipfile.ZipFile(path) as bundle:
        manifest = json.loads(bundle.read("plugin.json"))
    if sha256 != headers["X-Svc-Sha256"]:
        raise Refused("hash-mismatch")
    if manifest["id"] != asked["appId"]:
        raise Refused("wrong-app")
    if manifest["version"] != asked["version"]:
        raise Refused("wrong-version")
    ring = {id_of(key): key for key in map(read_key, vector["pinned"])}
    key = ring.get(headers["X-Svc-Key-Id"])
    if key is None:
        raise Refused("unknown-key")
    if time_of(headers["X-Svc-Published-At"]) is None:
        raise Refused("malformed")
    facts = {**reach_of(manifest), **asked, "sha256": sha256, "publishedAt": headers["X-Svc-Published-At"]}
    if not holds(facts, headers["X-Svc-Signature"], key):
        raise Refused("bad-signature")
    return vector["signed"] is not None and canonical(facts).decode() == vector["signed"]["text"]


FIELDS = {"keyId", "publicKeyPem", "createdAt"}
OPTIONAL = {"retiredAt", "successorOf", "signature"}


def well_formed(entry):
    if not isinstance(entry, dict) or not FIELDS <= entry.keys() <= FIELDS | OPTIONAL:
        return False
    if any(name in entry and time_of(entry[name]) is None for name in ("createdAt", "retiredAt")):
        return False
    if "signature" in entry and decoded(entry["signature"]) is None:
        return False
    try:
        key = read_key(entry["publicKeyPem"])
    except ValueError:
        return False
    return pem_of(key) == entry["publicKeyPem"] and id_of(key) == entry["keyId"]


def follows(entry, last):
    if entry.get("successorOf") != last["keyId"] or last.get("retiredAt") != entry["createdAt"]:
        return False
    link = {name: entry[name] for name in ("keyId", "publicKeyPem", "successorOf")}
    link.update(at=entry["createdAt"], since=last["createdAt"])
    signed = holds(link, entry.get("signature"), read_key(last["publicKeyPem"]))
    return signed and time_of(entry["createdAt"]) > time_of(last["createdAt"])


def verify_chain(_folder, vector):
    keys = vector["keys"]
    if not isinstance(keys, list) or not 1 <= len(keys) <= 1000 or not all(map(well_formed, keys)):
        raise Refused("malformed")
    pems = [entry["publicKeyPem"] for entry in keys]
    if vector["pinned"] not in pems:
        raise Refused("not-pinned")
    begins = "successorOf" not in keys[0] and "signature" not in keys[0]
    linked = all(follows(entry, last) for last, entry in zip(keys, keys[1:]))
    if not begins or "retiredAt" in keys[-1] or not linked or len(set(pems)) < len(pems):
        raise Refused("broken")
    return [entry["keyId"] for entry in keys[pems.index(vector["pinned"]) :]] == vector.get("trusted")


def is_list(value):
    if not isinstance(value, dict) or value.keys() != {"entries", "signedAt", "signature"}:
        return False
    if time_of(value["signedAt"]) is None or not isinstance(value["entries"], list):
        return False
    for entry in value["entries"]:
        if not isinstance(entry, dict) or entry.keys() != {"appId", "version", "reason", "at"}:
            return False
        if not all(isinstance(text, str) for text in entry.values()) or time_of(entry["at"]) is None:
            return False
    return True


def take_lists(_folder, vector):
    """Whether every step has its expected result."""
    key = read_key(vector["keys"][-1]["publicKeyPem"])
    taken, first_had = None, None
    for step in vector["steps"]:
        given, refusal, now = step["list"], None, time_of(step["now"])
        signed = is_list(given) and holds(
            {"entries": given["entries"], "signedAt": given["signedAt"]}, given["signature"], key
        )
        if not signed:
            refusal = "not-verified"
        elif taken and time_of(given["signedAt"]) < time_of(taken["signedAt"]):
            refusal = "rolled-back"
        elif taken and given["signedAt"] == taken["signedAt"]:
            refusal = None if given["entries"] == taken["entries"] else "rolled-back"
        else:
            taken, first_had = given, now
        named = {(entry["appId"], entry["version"].split("+")[0]) for entry in taken["entries"]}
        off = [app for app in vector["installed"] if tuple(app.split("@")) in named]
        signed_at = time_of(taken["signedAt"])
        stale = now - signed_at > STALE or now - first_had > STALE
        ahead = signed_at - now > AHEAD
        expected = (step.get("refusal"), step["off"], step["stale"], step["ahead"])
        if (refusal, off, stale, ahead) != expected:
            return False
    return True


def is_entries(value):
    return isinstance(value, list) and is_list({"entries": value, "signedAt": "2026-01-01T00:00:00.000Z", "signature": ""})


def join_segments(_folder, vector):
    key, head = read_key(vector["keys"][-1]["publicKeyPem"]), vector["head"]
    fields = {"list", "segments", "open", "signedAt"}
    if head.keys() != fields | {"signature"} or not holds({name: head[name] for name in fields}, head["signature"], key):
        raise Refused("refuse")
    entries = list(head["open"])
    for segment in head["segments"]:
        body = vector["segments"].get(segment["sha256"], "").encode()
        if len(body) > segment["bytes"] or hashlib.sha256(body).hexdigest() != segment["sha256"]:
            raise Refused("refuse")
        part = json.loads(body)
        if not is_entries(part):
            raise Refused("refuse")
        entries += part
    entries.sort(key=lambda one: (one["appId"], one["version"], one["at"]))
    if hashlib.sha256(canonical(entries)).hexdigest() != head["list"]:
        raise Refused("refuse")
    return sorted(f"{one['appId']}@{one['version']}" for one in entries) == vector["yanked"]


def same_reach(_folder, vector):
    return reach_of(vector["after"]) == vector["facts"]


def same_challenge(_folder, vector):
    digest = hashlib.sha256(vector["verifier"].encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") == vector["challenge"]


SETS = {
    "signing/vectors.json": verify_bundle,
    "keys/vectors.json": verify_chain,
    "revocations/vectors.json": take_lists,
    "revocations/heads.json": join_segments,
    "permissions/vectors.json": same_reach,
    "relay/challenges.json": same_challenge,
}


def judged_as_said(check, folder, vector):
    # A vector with steps has an expected result in each step.
    expected = vector.get("refusal") if "steps" not in vector else None
    if vector.get("verdict") == "refuse" and check is join_segments:
        expected = "refuse"
    try:
        return check(folder, vector) and expected is None
    except Refused as refused:
        return str(refused) == expected


def main(interop):
    report = {}
    for name, check in SETS.items():
        path = interop / name
        vectors = json.loads(path.read_text("utf-8"))
        otherwise = [one["name"] for one in vectors if not judged_as_said(check, path.parent, one)]
        report[name] = {"vectors": len(vectors), "otherwise": otherwise}
    print(json.dumps(report))


main(pathlib.Path(sys.argv[1]))
