import { AUDIT_WORDS, type AuditEntry } from '@svc/contracts';

/** A field of the header of a CEF message: `\\` and `|` are escaped, and there are no line breaks (CEF, "Character Encoding"). */
const header = (text: string): string => text.replace(/[\\|]/g, '\\$&').replace(/[\r\n]+/g, ' ');

/** The value of an extension of a CEF message: `\\`, `=` and line breaks are escaped. */
const extension = (text: string): string => text.replace(/[\\=]/g, '\\$&').replace(/\r\n|[\r\n]/g, '\\n');

/** Low, and not an incident by itself: rules of the SIEM decide by the action. */
const SEVERITY = 3;

/** An entry as a message of the Common Event Format, version 0: UTF-8 in one line. Fields without a key of their own are labelled texts. */
export function cefOf(entry: AuditEntry, store: string): string {
  const { id, at, actor, action, appId, version, publisher, address, requestId, tokenId, detail } = entry;
  const labelled = [
    ['app', appId],
    ['version', version],
    ['publisher', publisher],
    ['token', tokenId],
    ['request', requestId],
    ['detail', detail === null || detail === undefined ? null : JSON.stringify(detail)],
  ] as const;
  const pairs = [
    ['rt', String(Date.parse(at))],
    ['externalId', String(id)],
    ['dvchost', store],
    ['suser', actor],
    ['src', address],
    ...labelled.flatMap(([label, value], n) =>
      value === null || value === undefined
        ? []
        : ([
            [`cs${n + 1}Label`, label],
            [`cs${n + 1}`, value],
          ] as const),
    ),
  ] as const;
  const extensions = pairs.flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [`${key}=${extension(value)}`],
  );
  const name = AUDIT_WORDS[action as keyof typeof AUDIT_WORDS] ?? action;
  return `CEF:0|svc|svc-store|1|${header(action)}|${header(name)}|${SEVERITY}|${extensions.join(' ')}`;
}
