import { LIMITS, type Me, type OwnApp, type OwnVersionDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLeaveGuard, useSignedIn } from '../account/use-store.ts';
import type { Identity, Report } from '../check/check-file.ts';
import { runCheck } from '../check/run-check.ts';
import { type UploadEnd, uploadBundle } from './upload.ts';
import { type UploadError, uploadErrorOf } from './upload-error.ts';

/** The page that a bundle is dropped on: of a publisher, or of one of its apps. */
export type Target = {
  readonly slug: string;
  readonly appId: string | undefined;
  /** The apps of the publisher that the page knows. */
  readonly apps: readonly Pick<OwnApp, 'appId' | 'newest'>[];
};

/**
 * Why a bundle without errors cannot be published on this page; null when no reason is known. The store checks all of this
 * again.
 */
export function publishBlockerOf({ kind, identity }: Report, { slug, appId, apps }: Target): string | null {
  if (kind === 'manifest')
    return 'This is only a plugin.json. Run svc pack on its folder, and drop the bundle.';
  if (!identity) return 'The plugin.json of this bundle cannot be read.';
  if (identity.publisher !== slug)
    return `This bundle is for the publisher “${identity.publisher}”, but this page is for “${slug}”. Fix "publisher" in plugin.json, or publish on the page of that publisher.`;
  if (appId !== undefined && identity.id !== appId)
    return `This bundle is for another app, ${identity.id}. Publish it on the page of your publisher.`;
  const newest = apps.find((app) => app.appId === identity.id)?.newest.version;
  return newest === identity.version
    ? `Version ${identity.version} was already uploaded. Increase "version" in plugin.json, pack again, and drop the new bundle.`
    : null;
}

/** A bundle that may be uploaded: the bytes that were checked, and the identity in its manifest. */
type Bundle = { readonly file: File; readonly identity: Identity };

/** The stage of publishing a bundle. */
export type Stage =
  | { readonly at: 'start' }
  | { readonly at: 'checking'; readonly name: string }
  | { readonly at: 'unreadable'; readonly message: string }
  | { readonly at: 'blocked'; readonly report: Report; readonly publishBlocker: string | null }
  | { readonly at: 'ready'; readonly report: Report; readonly bundle: Bundle }
  | { readonly at: 'sending'; readonly bundle: Bundle; readonly sent: number }
  | { readonly at: 'stopped'; readonly bundle: Bundle; readonly uploadError: UploadError }
  | { readonly at: 'accepted'; readonly appId: string; readonly version: string };

/** Copies a file into memory, so that the bytes that were checked are sent even if the file changes. */
async function copyToMemory(file: File): Promise<File> {
  if (file.size > LIMITS.bundle.bytes) return file;
  return new File([await file.arrayBuffer()], file.name);
}

async function checkDropped(dropped: File, target: Target): Promise<Stage> {
  try {
    const file = await copyToMemory(dropped);
    const report = await runCheck(file, 'store');
    const isBroken = report.issues.some(({ level }) => level === 'error');
    const publishBlocker = isBroken ? null : publishBlockerOf(report, target);
    return isBroken || publishBlocker !== null || !report.identity
      ? { at: 'blocked', report, publishBlocker }
      : { at: 'ready', report, bundle: { file, identity: report.identity } };
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
 * Whether the store has exactly this bundle, by its hash: the response to an accepted upload may be lost. False when the hash
 * cannot be computed, as on a page without a secure context.
 */
async function hasArrived(slug: string, { file, identity }: Bundle): Promise<boolean> {
  const { path } = apiRequest('GET /api/publishers/:slug/apps/:appId/versions/:version', {
    params: { slug, appId: identity.id, version: identity.version },
  });
  try {
    const response = await fetch(path, { headers: { Accept: 'application/json' } });
    if (!response.ok) return false;
    return ((await response.json()) as OwnVersionDetail).sha256 === (await hashOf(file));
  } catch {
    return false;
  }
}

/** The current CSRF token: signing in again in another tab changes it. */
async function freshCsrf(known: string): Promise<string> {
  try {
    const response = await fetch(apiRequest('GET /api/people/me').path, {
      headers: { Accept: 'application/json' },
    });
    return response.ok ? ((await response.json()) as Me).csrf : known;
  } catch {
    return known;
  }
}

/** Whether the store may have accepted a bundle although the page received no success response. */
const mayHaveArrived = (end: UploadEnd, { version }: Identity): boolean =>
  end.end === 'lost' ||
  end.end === 'cancelled' ||
  (end.end === 'refused' && end.envelope?.latest === version);

/**
 * Publishes a bundle: checks it in the browser, uploads it on request, and keeps it until the store has it. Choosing a newer
 * bundle discards the result of the older one.
 */
export function usePublish(target: Target) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>({ at: 'start' });
  const turn = useRef(0);
  const stop = useRef<AbortController>(null);
  useLeaveGuard(stage.at === 'sending' || stage.at === 'stopped');

  const choose = async (files: readonly File[]): Promise<void> => {
    const [file] = files;
    if (!file) return;
    turn.current += 1;
    const ownTurn = turn.current;
    setStage({ at: 'checking', name: file.name });
    const next = await checkDropped(file, target);
    if (ownTurn === turn.current) setStage(next);
  };

  const accept = ({ id: appId, version }: Identity) => {
    setStage({ at: 'accepted', appId, version });
    return queries.invalidateQueries();
  };

  const send = async (bundle: Bundle, isRetry = false): Promise<void> => {
    const { file, identity } = bundle;
    const abort = new AbortController();
    stop.current = abort;
    setStage({ at: 'sending', bundle, sent: 0 });
    const token = isRetry ? await freshCsrf(csrf) : csrf;
    if (isRetry && (await hasArrived(target.slug, bundle))) return accept(identity);
    const progress = (sent: number) => setStage({ at: 'sending', bundle, sent: Math.min(sent, file.size) });
    const end = await uploadBundle(token, file, progress, abort.signal);
    if (end.end === 'accepted') return accept(identity);
    if (mayHaveArrived(end, identity) && (await hasArrived(target.slug, bundle))) return accept(identity);
    setStage({ at: 'stopped', bundle, uploadError: uploadErrorOf(end, identity.version) });
  };

  return {
    stage,
    choose,
    send,
    cancel: () => stop.current?.abort(),
    reset: () => setStage({ at: 'start' }),
  };
}
