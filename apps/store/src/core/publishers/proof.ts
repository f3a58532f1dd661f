import type { ProofCheck } from '@svc/contracts';
import type { Sites } from './site.ts';

const FILE_PATH = '/.well-known/svc-verification';

/** The host of a publisher's website; null when there is none that can be verified. */
export function hostOf(website: string | undefined): string | null {
  if (website === undefined || !URL.canParse(website)) return null;
  const { protocol, hostname, port } = new URL(website);
  return protocol === 'https:' && port === '' && hostname.includes('.') ? hostname : null;
}

/** The proof to publish on a host: either the DNS record or the file is enough. */
export function proofOn(host: string, proof: string) {
  const text = `svc-verification=${proof}`;
  return {
    dns: { name: `_svc-verification.${host}`, value: text },
    file: { url: `https://${host}${FILE_PATH}`, text },
  };
}

const MAX_SHOWN = 100;

/** Describes content that is not the proof. It is shortened and cleaned, as a website can contain anything. */
function describeOther(texts: readonly string[]): string {
  const cleaned = texts
    .map((text) => text.replace(/[^\x20-\x7e]+/g, ' ').trim())
    .filter((text) => text !== '');
  const nearest = cleaned.find((text) => text.startsWith('svc-verification')) ?? cleaned[0];
  return nearest === undefined
    ? 'It is empty'
    : `It contains ${JSON.stringify(nearest.slice(0, MAX_SHOWN))} instead`;
}

type Answer = { texts: readonly string[] } | { fault: string };

function checkAnswer(
  answer: Answer,
  expected: string,
  remedy: string,
): Pick<ProofCheck, 'found' | 'message'> {
  if ('fault' in answer) return { found: false, message: `${answer.fault}: ${remedy}` };
  if (answer.texts.some((text) => text.trim() === expected))
    return { found: true, message: 'The proof was found.' };
  return { found: false, message: `${describeOther(answer.texts)}: ${remedy}` };
}

async function checkRecord(
  sites: Sites,
  { name, value }: { name: string; value: string },
): Promise<ProofCheck> {
  const remedy = `add a TXT record with this name and the value ${value}. It can take an hour until the record is visible.`;
  return { place: 'dns', at: name, ...checkAnswer(await sites.txt(name), value, remedy) };
}

async function checkFile(
  sites: Sites,
  host: string,
  { url, text }: { url: string; text: string },
): Promise<ProofCheck> {
  const answer = await sites.file(host, FILE_PATH);
  const lines = 'fault' in answer ? answer : { texts: answer.text.split('\n') };
  return { place: 'file', at: url, ...checkAnswer(lines, text, `serve the text ${text} at this address.`) };
}

/** Looks for the proof in the DNS record and, when it is not there, in the file. */
export async function findProof(sites: Sites, host: string, proof: string): Promise<ProofCheck[]> {
  const { dns, file } = proofOn(host, proof);
  const record = await checkRecord(sites, dns);
  return record.found ? [record] : [record, await checkFile(sites, host, file)];
}
