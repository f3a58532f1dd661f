"""A store written from its specification alone: one app, one key, a list of yanked versions. Needs Python 3 and openssl.

    python3 store.py FOLDER    serves FOLDER/app.zip, signed with FOLDER/key.pem, and prints its address

FOLDER/yanked.json, where there is one, is the list of the yanked versions.
"""
import base64, hashlib, http.server, io, json, pathlib, subprocess, sys, tempfile, time, urllib.parse, zipfile

folder = pathlib.Path(sys.argv[1])
bundle = (folder / "app.zip").read_bytes()
manifest = json.loads(zipfile.ZipFile(io.BytesIO(bundle)).read("plugin.json"))
public = subprocess.run(["openssl", "pkey", "-in", folder / "key.pem", "-pubout"], capture_output=True, check=True).stdout.decode()
app, version, key = manifest["id"], manifest["version"], {"keyId": "Key:1", "publicKeyPem": public}
now = lambda: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())

def sign(value):
    with tempfile.NamedTemporaryFile() as text:
        text.write(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())
        text.flush()
        command = ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", folder / "key.pem", "-in", text.name]
        return base64.b64encode(subprocess.run(command, capture_output=True, check=True).stdout).decode()

hosts = {urllib.parse.urlsplit(manifest["remote"]["mcpUrl"]).hostname, *(one.lower() for one in manifest["remote"]["domains"])}
accounts = [text for one in manifest.get("accounts", []) for text in (one["id"], *(f'{one["id"]}:{scope}' for scope in one["scopes"]))]
facts = {"appId": app, "version": version, "sha256": hashlib.sha256(bundle).hexdigest(), "publishedAt": now(),
         "grants": sorted(manifest.get("grants", [])), "domains": sorted(hosts), "accounts": sorted(accounts)}
signature = sign(facts)
headers = {"X-Svc-Sha256": facts["sha256"], "X-Svc-Signature": signature, "X-Svc-Key-Id": key["keyId"], "X-Svc-Published-At": facts["publishedAt"]}
release = {"version": version, "publishedAt": facts["publishedAt"], "sha256": facts["sha256"], "size": len(bundle), "signature": signature,
           "keyId": key["keyId"], "bundleUrl": f"/api/apps/{app}/versions/{version}/bundle"}
entry = {"appId": app, "name": manifest["name"], "version": version, "publisher": {"slug": manifest["publisher"]}}

class Store(http.server.BaseHTTPRequestHandler):
    log_message = lambda *_: None

    def do_GET(self):
        path = self.path.split("?")[0]
        yanked = folder / "yanked.json"
        entries = json.loads(yanked.read_text()) if yanked.exists() else []
        signed = {"entries": entries, "signedAt": now()}
        found = {"/api/apps/catalog": {"apps": [entry]}, f"/api/apps/{app}": {**entry, "readme": "", "versions": [release]},
                 "/api/apps/public-key": key, "/api/apps/revocations": {**signed, "signature": sign(signed)}}.get(path)
        is_bundle = path == release["bundleUrl"]
        body = bundle if is_bundle else json.dumps(found).encode() if found else b"nothing here"
        self.send_response(200 if is_bundle or found else 404)
        for name, value in (headers if is_bundle else {}).items(): self.send_header(name, value)
        self.send_header("Content-Type", "application/zip" if is_bundle else "application/json" if found else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
