import type { ProofCheck } from '@svc/contracts';
import type { Sites } from './site.ts';

const FILE_PATH = '/.well-known/svc-verification';

/** The host of a publisher's website; null when it has none that could be verified. */
export function hostOf(website: string | undefined): string | null {
  if (website === undefined || !URL.canParse(website)) return null;
  const { protocol, hostname, port } = new URL(website);
  return protocol === 'https:' && port === '' && hostname.includes('.') ? hostname : null;
}

/** What to publish on a host, and where: either of the two is enough. */
export function proofOn(host: string, proof: string) {
  const text = `svc-verification=${proof}`;
  return {
    dns: { name: `_svc-verification.${host}`, value: text },
    file: { url: `https://${host}${FILE_PATH}`, text },
  };
}

const MAX_SHOWN = 100;

/** What stands there instead, as far as it is worth showing: it is the website's own, and may be anything. */
function insteadOf(texts: readonly string[]): string {
  const seen = texts.map((text) => text.replace(/[^\x20-\x7e]+/g, ' ').trim()).filter((text) => text !== '');
  const nearest = seen.find((text) => text.startsWith('svc-verification')) ?? seen[0];
  return nearest === undefined
    ? 'It is empty'
    : `It says ${JSON.stringify(nearest.slice(0, MAX_SHOWN))} instead`;
}

type Answer = { texts: readonly string[] } | { fault: string };

function judge(answer: Answer, wanted: string, remedy: string): Pick<ProofCheck, 'found' | 'message'> {
  if ('fault' in answer) return { found: false, message: `${answer.fault}: ${remedy}` };
  if (answer.texts.some((text) => text.trim() === wanted))
    return { found: true, message: 'The proof is there.' };
  return { found: false, message: `${insteadOf(answer.texts)}: ${remedy}` };
}

async function inRecord(sites: Sites, { name, value }: { name: string; value: string }): Promise<ProofCheck> {
  const remedy = `add a TXT record with this name and the value ${value}. It may take an hour until it is seen.`;
  return { place: 'dns', at: name, ...judge(await sites.txt(name), value, remedy) };
}

async function inFile(
  sites: Sites,
  host: string,
  { url, text }: { url: string; text: string },
): Promise<ProofCheck> {
  const answer = await sites.file(host, FILE_PATH);
  const lines = 'fault' in answer ? answer : { texts: answer.text.split('\n') };
  return { place: 'file', at: url, ...judge(lines, text, `serve the text ${text} at this address.`) };
}

/** Looks for the proof: first in the record and, when it is not there, in the file. */
export async function lookForProof(sites: Sites, host: string, proof: string): Promise<ProofCheck[]> {
  const { dns, file } = proofOn(host, proof);
  const record = await inRecord(sites, dns);
  return record.found ? [record] : [record, await inFile(sites, host, file)];
}
