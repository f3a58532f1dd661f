#!/usr/bin/env bash
# The steps of the action. Inputs come from the environment, never interpolated into a shell command (injection).
set -euo pipefail
umask 077

here=$(cd "$(dirname "$0")" && pwd)
work=${RUNNER_TEMP:-$(mktemp -d)}
read -ra svc <<<"${SVC:-}"
[ "${#svc[@]}" -gt 0 ] || svc=(npx --yes "${SVC_STORE%/}/cli.tgz")

output() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

case $1 in
  validate)
    # Findings are shown in the log as well; the exit code is that of the checks.
    sarif=$work/svc.sarif
    "${svc[@]}" validate "$SVC_PATH" --sarif >"$sarif" || true
    [ ! -s "$sarif" ] || output sarif "$sarif"
    "${svc[@]}" validate "$SVC_PATH"
    ;;
  preview)
    preview=$work/svc-preview.txt
    "${svc[@]}" publish "$SVC_PATH" --dry-run | tee "$preview"
    [ "${SVC_COMMENT:-true}" != true ] || node "$here/comment.mjs" "$preview"
    ;;
  publish)
    result=$work/svc-result.jsonl
    more=()
    [ "${SVC_WAIT:-false}" != true ] || more+=(--wait)
    [ -z "${SVC_ATTESTATION:-}" ] || more+=("--attestation=$SVC_ATTESTATION")
    code=0
    "${svc[@]}" publish "$SVC_PATH" --json "${more[@]}" >"$result" || code=$?
    # The first line is the store's response, the last one the newest state.
    if [ -s "$result" ]; then
      field() { tail -n 1 "$result" | node -e 'process.stdout.write(String(JSON.parse(require("fs").readFileSync(0))[process.argv[1]]))' "$1"; }
      output status "$(field status)"
      output version "$(field version)"
      printf '%s %s: %s\n' "$(field appId)" "$(field version)" "$(field status)" | tee -a "$GITHUB_STEP_SUMMARY"
    fi
    exit "$code"
    ;;
  *)
    echo "usage: publish.sh validate|preview|publish" >&2
    exit 2
    ;;
esac
