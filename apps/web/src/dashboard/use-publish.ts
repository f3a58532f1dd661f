import { LIMITS, type Me, type OwnVersionDetail } from '@svc/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useSignedIn } from '../account/use-store.ts';
import type { Named, Report } from '../check/check-file.ts';
import { runCheck } from '../check/run-check.ts';
import { publishBlockerOf, type Target } from './publish-blocker.ts';
import { type UploadEnd, uploadBundle } from './upload.ts';
import { type UploadError, uploadErrorOf } from './upload-error.ts';

/** A bundle that may be sent: its bytes as they were checked, and what it calls itself. */
type Bundle = { readonly file: File; readonly named: Named };

/** How far a bundle has come on its way to the store. */
export type Stage =
  | { readonly at: 'start' }
  | { readonly at: 'checking'; readonly name: string }
  | { readonly at: 'unreadable'; readonly message: string }
  | { readonly at: 'blocked'; readonly report: Report; readonly publishBlocker: string | null }
  | { readonly at: 'ready'; readonly report: Report; readonly bundle: Bundle }
  | { readonly at: 'sending'; readonly bundle: Bundle; readonly sent: number }
  | { readonly at: 'stopped'; readonly bundle: Bundle; readonly uploadError: UploadError }
  | { readonly at: 'taken'; readonly appId: string; readonly version: string };

/** Holds the bytes of a file, so that what is sent is what was checked, whatever becomes of the file. */
async function holdBytes(file: File): Promise<File> {
  if (file.size > LIMITS.bundle.bytes) return file;
  return new File([await file.arrayBuffer()], file.name);
}

async function checked(dropped: File, target: Target): Promise<Stage> {
  try {
    const file = await holdBytes(dropped);
    const report = await runCheck(file, 'store');
    const isBroken = report.issues.some(({ level }) => level === 'error');
    const publishBlocker = isBroken ? null : publishBlockerOf(report, target);
    return isBroken || publishBlocker !== null || !report.named
      ? { at: 'blocked', report, publishBlocker }
      : { at: 'ready', report, bundle: { file, named: report.named } };
  } catch (error) {
    const isOurs = error instanceof Error && !(error instanceof DOMException);
    return { at: 'unreadable', message: isOurs ? error.message : `${dropped.name} cannot be read.` };
  }
}

async function hashOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Whether the store has this very bundle, by its hash: an answer may be lost though the upload was taken. False when that
 * cannot be known, as on a page without a secure context, which has no hashes.
 */
async function hasArrived(slug: string, { file, named }: Bundle): Promise<boolean> {
  const at = [slug, 'apps', named.id, 'versions', named.version].map(encodeURIComponent).join('/');
  try {
    const answer = await fetch(`/api/publishers/${at}`, { headers: { Accept: 'application/json' } });
    if (!answer.ok) return false;
    return ((await answer.json()) as OwnVersionDetail).sha256 === (await hashOf(file));
  } catch {
    return false;
  }
}

/** The token of the session as it is now: a person who signed in again in another tab has another. */
async function freshCsrf(known: string): Promise<string> {
  try {
    const answer = await fetch('/api/people/me', { headers: { Accept: 'application/json' } });
    return answer.ok ? ((await answer.json()) as Me).csrf : known;
  } catch {
    return known;
  }
}

/** Whether the store may have taken a bundle though it did not say so to this page. */
const mayHaveArrived = (end: UploadEnd, { version }: Named): boolean =>
  end.end === 'lost' ||
  end.end === 'cancelled' ||
  (end.end === 'refused' && end.envelope?.latest === version);

/** Asks before the page is left, as what it holds would be gone. */
function useGuard(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOn]);
}

/**
 * The way of a bundle: checked here, shown with all that was found, sent when that is asked for, and kept until the store
 * has it. A newer bundle makes what comes of an older one void.
 */
export function usePublish(target: Target) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>({ at: 'start' });
  const turn = useRef(0);
  const stop = useRef<AbortController>(null);
  useGuard(stage.at === 'sending' || stage.at === 'stopped');

  const choose = async (files: readonly File[]): Promise<void> => {
    const [file] = files;
    if (!file) return;
    turn.current += 1;
    const mine = turn.current;
    setStage({ at: 'checking', name: file.name });
    const next = await checked(file, target);
    if (mine === turn.current) setStage(next);
  };

  const take = ({ id: appId, version }: Named) => {
    setStage({ at: 'taken', appId, version });
    return queries.invalidateQueries();
  };

  const send = async (bundle: Bundle, isAgain = false): Promise<void> => {
    const { file, named } = bundle;
    const abort = new AbortController();
    stop.current = abort;
    setStage({ at: 'sending', bundle, sent: 0 });
    const token = isAgain ? await freshCsrf(csrf) : csrf;
    if (isAgain && (await hasArrived(target.slug, bundle))) return take(named);
    const progress = (sent: number) => setStage({ at: 'sending', bundle, sent: Math.min(sent, file.size) });
    const end = await uploadBundle(token, file, progress, abort.signal);
    if (end.end === 'taken') return take(named);
    if (mayHaveArrived(end, named) && (await hasArrived(target.slug, bundle))) return take(named);
    setStage({ at: 'stopped', bundle, uploadError: uploadErrorOf(end, named.version) });
  };

  return {
    stage,
    choose,
    send,
    cancel: () => stop.current?.abort(),
    reset: () => setStage({ at: 'start' }),
  };
}
