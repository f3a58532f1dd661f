import type { Review } from '@svc/contracts';
import { describeChanges } from '@svc/permissions';
import { modelSpeech } from '@svc/text';
import { count, type Tab, type TabMark, Tabs } from '@svc/ui';
import { useRef } from 'react';
import { goTo, useParams } from '../../address.ts';
import { Conversation, useConversation } from '../../conversation/conversation.tsx';
import { Files } from '../files/files.tsx';
import { changedFiles, type useBundles } from '../files/use-bundles.ts';
import { useKeys } from '../keys.tsx';
import { Details, History, Served } from './about.tsx';
import { ChangesPanel, comparisonOf } from './changes-panel.tsx';
import { Panels } from './panel.tsx';
import { DeclaredTools, ListedTexts, Seen, Sentences } from './seen.tsx';

/** The changes of an update that users agree to, or else all; none of a first version, in which everything is new. */
function changesMark(review: Review): TabMark | null {
  const { version, diff } = comparisonOf(review);
  const { widens } = describeChanges(diff.changes);
  if (version === null || diff.changes.length === 0) return null;
  return widens.length > 0
    ? { text: `${widens.length}`, words: count(widens.length, 'new permission'), tone: 'bad' }
    : { text: `${diff.changes.length}`, words: count(diff.changes.length, 'change') };
}

/** Tools whose texts give orders to a model, and findings about those of the server. */
function toolsMark({ manifest, served }: Review): TabMark | null {
  const texts = [...manifest.tools, ...(served?.tools ?? [])].map(({ description }) => description ?? '');
  const orders = new Set(texts.filter((text) => modelSpeech(text).some(({ speaks }) => speaks))).size;
  const findings = served?.findings.length ?? 0;
  const words = [
    ...(orders > 0 ? [`${count(orders, 'text')} with orders to the model`] : []),
    ...(findings > 0 ? [count(findings, 'finding')] : []),
  ];
  return words.length === 0 ? null : { text: `${orders + findings}`, words: words.join(', '), tone: 'mild' };
}

/** What the publisher wrote since the last message of the store. */
function useMessagesMark({ appId, version }: Review): { isEmpty: boolean; mark: TabMark | null } {
  const { data } = useConversation('store', appId, version);
  const messages = data?.messages ?? [];
  const unanswered = messages.length - 1 - messages.findLastIndex(({ side }) => side === 'store');
  return {
    isEmpty: data !== undefined && data.status !== 'in_review' && messages.length === 0,
    mark:
      unanswered === 0
        ? null
        : { text: `${unanswered}`, words: count(unanswered, 'unanswered message'), tone: 'mild' },
  };
}

type EvidenceProps = { review: Review; baseVersion: string | null } & ReturnType<typeof useBundles>;

/** The files that changed; `!` where the bundle could not be opened. */
function filesMark({ baseVersion, bundles }: EvidenceProps): TabMark | null {
  if (bundles.kind === 'failed') return { text: '!', words: 'could not be opened', tone: 'bad' };
  const changed = changedFiles(bundles, baseVersion);
  return changed ? { text: `${changed}`, words: `${count(changed, 'file')} changed` } : null;
}

/** The tabs, one for each question of a moderator. */
function useTabs(props: EvidenceProps, show: (id: string) => void): readonly Tab[] {
  const { review, baseVersion, bundles, retry } = props;
  const { appId, version, manifest, served } = review;
  const was = comparisonOf(review).base?.manifest ?? null;
  const messages = useMessagesMark(review);
  const files = { review, baseVersion, bundles, retry, show: () => show('files') };
  return [
    {
      id: 'permissions',
      label: 'Permissions',
      mark: changesMark(review),
      panel: (
        <div className="evidence changes-first">
          <ChangesPanel review={review} />
          <Sentences is={manifest.permissions} was={was?.permissions} />
        </div>
      ),
    },
    {
      id: 'listing',
      label: 'Listing',
      panel: (
        <div className="evidence">
          <Seen review={review} was={was} />
          <ListedTexts review={review} />
        </div>
      ),
    },
    {
      id: 'tools',
      label: 'Tools',
      mark: toolsMark(review),
      panel: (
        <div className="evidence">
          <DeclaredTools tools={manifest.tools} />
          <div>
            <Served served={served} />
            <Panels review={review} />
          </div>
        </div>
      ),
    },
    { id: 'files', label: 'Files', mark: filesMark(props), panel: <Files {...files} /> },
    ...(messages.isEmpty
      ? []
      : [
          {
            id: 'messages',
            label: 'Messages',
            mark: messages.mark,
            panel: <Conversation side="store" appId={appId} version={version} />,
          },
        ]),
    {
      id: 'history',
      label: 'History',
      panel: (
        <div className="evidence">
          <Details review={review} />
          <History review={review} />
        </div>
      ),
    },
  ];
}

/** What a moderator reads before a decision. The address of the page keeps the tab, so that a link and a reload show it again. */
export function Evidence(props: EvidenceProps) {
  const { tab } = useParams(['tab']);
  const line = useRef<HTMLDivElement>(null);
  const choose = (id: string) => goTo(new URLSearchParams({ tab: id }), 'replace');
  const tabs = useTabs(props, choose);
  const focusOn = (at: number) => line.current?.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus();
  useKeys(Object.fromEntries(tabs.map((_, at) => [`${at + 1}`, () => focusOn(at)])));
  return <Tabs label="Evidence" tabs={tabs} current={tab} choose={choose} line={line} />;
}
