import type { DisplayMode } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, Icon } from '@svc/ui';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { Guarded, textOfAny } from '../parts/guarded.tsx';
import { useTheme } from '../settings/theme.ts';
import { useDesktopClient, useLive } from '../wire/use-desktop.ts';
import { InPlace, mountOpening, type PanelState } from './panel-frame.tsx';

/** Height of a page that has not said its own, in pixels. */
const FIRST_HEIGHT = 240;

/** How long a press lets the page cover this window, in milliseconds. */
const PRESS_MS = 1_000;
/** How long browsers remember a press, and more, in milliseconds: until then an old press looks like a new one. */
const OLD_PRESS_MS = 6_000;

/**
 * Whether the page may cover this window now: the user has just pressed something in it, is not writing in a field of svc, and has not
 * left full screen since that press.
 */
const mayCover = ({
  now,
  pressedAt,
  leftAt,
  isFocused,
}: {
  now: number;
  pressedAt: number;
  leftAt: number;
  isFocused: boolean;
}): boolean => isFocused && now - pressedAt <= PRESS_MS && pressedAt - leftAt > OLD_PRESS_MS;

type Call = Omit<DesktopCalls['panels.openPage']['in'], 'theme' | 'locale'>;

/** Opens the page in an element, and follows what it asks of its view. */
function useOpenPage(call: Call, place: RefObject<HTMLDivElement | null>) {
  const desktop = useDesktopClient();
  const live = useLive();
  const theme = useTheme();
  const [state, setState] = useState<PanelState>({ at: 'opening' });
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [mode, setMode] = useState<DisplayMode>('inline');
  const leftAt = useRef(Number.NEGATIVE_INFINITY);
  /** The user shows it in another way. Once they have left full screen it stays left. */
  const choose = useCallback((next: DisplayMode) => {
    if (next === 'inline') leftAt.current = performance.now();
    setMode(next);
  }, []);
  // The initial values. Later changes are sent to the open page.
  const start = useRef({ ...call, theme, locale: navigator.language });
  useEffect(() => {
    if (!place.current) return;
    return mountOpening({
      ...{ desktop, live, parent: place.current },
      opening: desktop.request('panels.openPage', start.current),
      opened: (panel) => setState({ at: 'open', panel }),
      viewed(as, pressedAt) {
        if (as.height !== undefined) setHeight(as.height);
        const isFocused = place.current?.contains(document.activeElement) === true;
        const now = { now: performance.now(), pressedAt, leftAt: leftAt.current, isFocused };
        if (as.mode === 'inline' || (as.mode && mayCover(now))) setMode(as.mode);
      },
      closed(reason) {
        setMode('inline');
        setState(reason === 'closed' ? { at: 'removed' } : { at: 'closed', reason });
      },
      failed: (error) => setState({ at: 'failed', error }),
    });
  }, [desktop, live, place]);
  const panel = state.at === 'open' ? state.panel : null;
  useEffect(() => {
    if (panel !== null) void desktop.request('panels.change', { panel, theme, mode }).catch(() => {});
  }, [desktop, panel, theme, mode]);
  return { state, height, mode, choose };
}

/** The page of a connector in its sandbox, with a bar of svc's own above it. */
function OpenPage({ call, title, close }: { call: Call; title: string; close(): void }) {
  const view = useRef<HTMLElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const { state, height, mode, choose } = useOpenPage(call, place);
  const isFull = mode === 'fullscreen';
  const isGone = state.at === 'closed' || state.at === 'failed';
  useEffect(() => {
    if (state.at === 'removed') close();
  }, [state.at, close]);
  // In the top layer, where no ancestor confines it, and without a move in the document, which would reload the frame.
  useEffect(() => {
    const element = view.current;
    if (!isFull || !element) return;
    const leave = ({ key }: KeyboardEvent) => key === 'Escape' && choose('inline');
    element.popover = 'manual';
    element.showPopover();
    window.addEventListener('keydown', leave);
    return () => {
      window.removeEventListener('keydown', leave);
      element.popover = null;
    };
  }, [isFull, choose]);
  return (
    <section
      ref={view}
      className={isFull ? 'call-page full' : 'call-page'}
      aria-label={`View of ${visible(title)}`}
    >
      <header className="cluster call-page-bar">
        <span className="soft">{`View of ${visible(title)}`}</span>
        {state.at === 'open' ? (
          <Button
            label={isFull ? 'Exit full screen' : 'Full screen'}
            onClick={() => choose(isFull ? 'inline' : 'fullscreen')}
          />
        ) : null}
        <Button
          label={<Icon name="x" />}
          className="quiet icon-button"
          aria-label="Close view"
          onClick={close}
        />
      </header>
      <InPlace state={state} />
      <div
        ref={place}
        className="call-page-place"
        hidden={isGone}
        style={isFull ? undefined : { height: `min(${height}px, 80dvh)` }}
      />
    </section>
  );
}

/** The page that the server of a connector gives a tool, below a call of it. @param isOpenFirst whether it opens by itself */
export function CallPage({ call, title, isOpenFirst }: { call: Call; title: string; isOpenFirst: boolean }) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const [close] = useState(() => () => setOpen(false));
  return isOpen ? (
    <Guarded
      what="view"
      of={call}
      text={() => textOfAny(call.result)}
      actions={<Button label="Close view" onClick={close} />}
    >
      <OpenPage call={call} title={title} close={close} />
    </Guarded>
  ) : (
    <Button label={`Show view of ${visible(title)}`} className="call-panel" onClick={() => setOpen(true)} />
  );
}
