import type { Change } from '@svc/contracts';
import { changesOf } from '@svc/permissions';
import type { ConsentCard } from '@svc/runtime';
import type { ReactNode } from 'react';
import { BundlePicture } from '../parts/icon.tsx';
import { isolated } from '../parts/isolated.ts';
import { WORDS } from '../words.ts';
import { CardHead } from './card-head.tsx';
import { Changes } from './changes.tsx';
import { Kinds, kindsOf, Sentences, summaryOf } from './permissions.tsx';

const MESSAGES = WORDS.permissions;
const SHEET = WORDS.sheet;

type Asked = Pick<ConsentCard, 'app' | 'permissions' | 'footprint' | 'widened' | 'pictures'>;

/** What the installed version has, where the update changes it: by that the user knows the app. */
function known({ widened }: Asked, path: string, otherwise: string): string {
  const before = widened?.changes.find((change) => change.path === path)?.before;
  return typeof before === 'string' ? before : otherwise;
}

/** The name by which the user knows the app: an update that renames it does not ask under its new name. */
export const knownName = (asked: Asked): string => isolated(known(asked, '/name', asked.app.name));

/** @param replaces version that is installed */
export const consentTitle = (asked: Asked, replaces: string | null): string =>
  replaces === null
    ? SHEET.title(knownName(asked), asked.app.version)
    : SHEET.updateTitle(knownName(asked), replaces, asked.app.version);

export const declineMeans = (replaces: string | null): string =>
  replaces === null ? SHEET.declineInstall : SHEET.declineKeeps(replaces);

function AppHead({ asked }: { asked: Asked }) {
  const { app, footprint, pictures } = asked;
  const { sha256, icon } = pictures.before ?? pictures.after;
  return (
    <CardHead
      icon={<BundlePicture sha256={sha256} path={icon} alt="" />}
      {...{ name: knownName(asked), appId: app.appId, isOfStore: true }}
      publisher={known(asked, '/publisher', footprint.face.publisher)}
    />
  );
}

/** A requirement that is listed with its reason is not told a second time. */
const isRequirement = ({ path }: Change): boolean => /^\/requires\/(?:apps|connectors)\//.test(path);

/** At a first install: what the app says of itself, the three lines that matter, and the rest a step away. */
function FirstConsent({ asked, details }: { asked: Asked; details: ReactNode }) {
  const { permissions, footprint } = asked;
  const all = changesOf(null, footprint);
  const { matters, rest } = summaryOf(
    details === null ? all : all.filter((change) => !isRequirement(change)),
  );
  return (
    <>
      <h3>{MESSAGES.title}</h3>
      <Sentences sentences={permissions} publisher={footprint.face.publisher} />
      <h3>{MESSAGES.allowed}</h3>
      <Kinds kinds={matters} />
      <details>
        <summary>{MESSAGES.details}</summary>
        <Kinds kinds={rest} />
        {details}
      </details>
    </>
  );
}

/** At an update: what it changes, and a step away what stays as it is. */
function UpdateConsent({
  asked: { permissions, footprint, pictures },
  changes,
  details,
}: {
  asked: Asked;
  changes: readonly Change[];
  details: ReactNode;
}) {
  const changed = new Set(changes.map(({ path }) => path));
  const same = changesOf(null, footprint).filter(({ path }) => !changed.has(path));
  return (
    <>
      <Changes changes={changes} pictures={pictures} />
      <details>
        <summary>{MESSAGES.details}</summary>
        <h3>{MESSAGES.unchanged}</h3>
        {changed.has('/permissions') ? null : (
          <Sentences sentences={permissions} publisher={footprint.face.publisher} />
        )}
        <Kinds kinds={kindsOf(same)} />
        {details}
      </details>
    </>
  );
}

/**
 * What a user is asked to agree to: at a first install all that the app may do, at an update what it changes. The rest is
 * behind one fold, and nothing is in two lists.
 * @param children shown below the name of the app
 * @param details what else can be looked up, below the fold
 */
export function Consent({
  asked,
  details = null,
  children,
}: {
  asked: Asked;
  details?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <>
      <AppHead asked={asked} />
      {children}
      {asked.widened === null ? (
        <FirstConsent asked={asked} details={details} />
      ) : (
        <UpdateConsent asked={asked} changes={asked.widened.changes} details={details} />
      )}
    </>
  );
}
