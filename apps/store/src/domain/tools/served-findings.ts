import { type Manifest, remoteNameOf, type ServedFinding, type ServedTool } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';

/** Words by which a parameter asks for a secret, in a name or a description without spaces and punctuation. */
const SECRETS =
  /passw(or)?d|passphrase|secret|api ?key|private ?key|access ?token|bearer|credential|seed ?phrase|otp\b|cvv|cvc\b/i;

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** `apiKey`, `api_key` and `api-key` as words. */
const wordsOf = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_.-]+/g, ' ');

/** The parameters of a schema that ask for a secret, at any depth; references are not resolved. */
function secretsIn(schema: unknown, path: string): string[] {
  if (!isObject(schema)) return [];
  const { properties } = schema;
  const named = isObject(properties) ? Object.entries(properties) : [];
  const own = named.flatMap(([name, part]) => {
    const description = isObject(part) && typeof part.description === 'string' ? part.description : '';
    return SECRETS.test(wordsOf(name)) || SECRETS.test(description) ? [`${path}${name}`] : [];
  });
  const below = named.flatMap(([name, part]) => secretsIn(part, `${path}${name}.`));
  return [...own, ...below, ...secretsIn(schema.items, `${path}*.`)];
}

/** What a moderator should know about the tools of a server beside its manifest. */
export function servedFindingsOf(manifest: Manifest, served: readonly ServedTool[]): ServedFinding[] {
  const byName = new Map(served.map((tool) => [tool.name, tool]));
  return (manifest.contributes.tools ?? []).flatMap((tool): ServedFinding[] => {
    const name = remoteNameOf(tool);
    const listed = byName.get(name);
    if (!listed) {
      const other = served.find((one) => plain(one.name) === plain(name));
      return [
        other
          ? { tool: name, kind: 'other-name', detail: other.name }
          : { tool: name, kind: 'not-served', detail: '' },
      ];
    }
    return secretsIn(listed.inputSchema, '').map((detail) => ({
      tool: name,
      kind: 'asks-for-secret',
      detail,
    }));
  });
}
