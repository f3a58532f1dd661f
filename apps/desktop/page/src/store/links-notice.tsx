import { Button, ErrorMessage } from '@svc/ui';
import { Banner } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** Asks once whether links of web pages open this desktop. */
export function LinksNotice() {
  const links = useDesktopQuery('links.show', {}).data?.links;
  const turn = useDesktopMutation('links.turn');
  if (!links || links.isOn || links.isAsked || links.install !== null) return null;
  return (
    <Banner>
      <span role="status">
        Web pages of stores can open apps here: you choose “Install” there, and this desktop shows what the
        app may do and asks you.
      </span>
      <Button label="Open links here" onClick={() => turn.mutate({ isOn: true })} />
      <Button label="Not now" onClick={() => turn.mutate({ isOn: false })} />
      <ErrorMessage error={turn.error} />
    </Banner>
  );
}
