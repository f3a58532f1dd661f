import type { ConsentCard } from '@svc/runtime';
import type { ReactNode } from 'react';
import { BundlePicture } from '../parts/icon.tsx';
import { isolated } from '../parts/isolated.ts';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';
import { Changes } from './changes.tsx';
import { Permissions } from './permissions.tsx';

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
    <div className="consent-head">
      <BundlePicture sha256={sha256} path={icon} alt="" />
      <div>
        <strong dir="auto">{knownName(asked)}</strong>
        <p className="soft">
          {MESSAGES.publisher} <bdi>{visible(known(asked, '/publisher', footprint.face.publisher))}</bdi>
        </p>
        <p className="soft">
          <code>{visible(app.appId)}</code>
        </p>
      </div>
    </div>
  );
}

/**
 * What a user is asked to agree to: at a first install all that the app may do, at an update what it changes, and all the
 * rest behind a fold.
 * @param children shown below the name of the app
 */
export function Consent({ asked, children }: { asked: Asked; children?: ReactNode }) {
  const { permissions, footprint, widened, pictures } = asked;
  const all = (
    <Permissions sentences={permissions} publisher={footprint.face.publisher} footprint={footprint} />
  );
  return (
    <>
      <AppHead asked={asked} />
      {children}
      {widened === null ? (
        all
      ) : (
        <>
          <Changes changes={widened.changes} pictures={pictures} />
          <details>
            <summary>{MESSAGES.allOf(asked.app.version)}</summary>
            {all}
          </details>
        </>
      )}
    </>
  );
}
