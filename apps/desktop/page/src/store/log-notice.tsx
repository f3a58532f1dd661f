import { visible } from '@svc/text';
import { Button, ErrorMessage } from '@svc/ui';
import { Banner } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** Says, until closed, that the store showed two histories of its log, and where the evidence is; or that it has no log. */
export function LogNotice() {
  const log = useDesktopQuery('log.show', {}).data;
  const close = useDesktopMutation('log.close');
  if (!log || (log.evidence === null && !log.isMissing)) return null;
  return (
    <Banner>
      {log.evidence === null ? (
        <span role="status">
          The store has no log of what it publishes: svc cannot notice if it shows you other versions than
          other users.
        </span>
      ) : (
        <span role="alert">
          {`The store showed two histories of what it published, so svc installs and updates nothing from it. Ask its operator, and send them the file ${visible(log.evidence)}: it proves what this computer saw.`}
        </span>
      )}
      <Button label="Close" onClick={() => close.mutate({})} />
      <ErrorMessage error={close.error} />
    </Banner>
  );
}
