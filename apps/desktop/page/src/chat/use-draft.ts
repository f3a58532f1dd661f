import { visible } from '@svc/text';
import { count, sizeText } from '@svc/ui/text';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useProject } from '../shell/use-project.ts';
import { useDesktopClient } from '../wire/use-desktop.ts';
import { MAX_MESSAGE_FILES, MAX_UPLOAD_BYTES, TEMPORARY } from './limits.ts';
import { readText } from './read-text.ts';

/** How long typing pauses before a draft is saved, in milliseconds. */
const SAVE_MS = 400;

export type Attachment = {
  key: string;
  name: string;
  type: string;
  bytes: number;
  /** Its id on the desktop; null while it is uploaded. */
  id: string | null;
  /** Whether the model receives its content. */
  shown: boolean;
  /** Its text, if it has one that can be read here. */
  text: string | null;
  /** Its bytes; null until they are here again. */
  blob: Blob | null;
};

/** What the user has written. `after` is the message that an edit follows. */
export type Draft = { text: string; files: readonly Attachment[]; after?: number | null };

/** A draft whose files are all on the desktop. */
export type SentDraft = Omit<Draft, 'files'> & { files: readonly (Attachment & { id: string })[] };

const isUploaded = (file: Attachment): file is Attachment & { id: string } => file.id !== null;

export const EMPTY: Draft = { text: '', files: [] };

const idsOf = ({ files }: Draft): string[] => files.flatMap(({ id }) => id ?? []);

/** What the desktop saves of a draft. */
const savedOf = (draft: Draft) => ({
  text: draft.text,
  files: idsOf(draft),
  ...(draft.after !== undefined && { after: draft.after }),
});

type Place = { project: string; chat?: string };

/** Where a draft is kept in this tab while the desktop cannot save it: its process ended, or its disk is full. */
const unsavedKey = ({ project, chat = '' }: Place): string => `svc.draft ${project} ${chat}`;

/** Saves a draft on the desktop while the user writes, and when the page is left. */
function useSaving(draft: Draft, place: Place) {
  const desktop = useDesktopClient();
  const latest = useRef(draft);
  const [saved] = useState({ json: '', isHeld: true });
  const save = useCallback(() => {
    const next = savedOf(latest.current);
    const json = JSON.stringify(next);
    if (saved.isHeld || json === saved.json) return;
    saved.json = json;
    desktop.request('chats.saveDraft', { ...place, ...next }).then(
      () => sessionStorage.removeItem(unsavedKey(place)),
      () => {
        // Saved again at the next change.
        saved.json = '';
        // Browsers write it to disk.
        if (!place.chat?.startsWith(TEMPORARY)) sessionStorage.setItem(unsavedKey(place), next.text);
      },
    );
  }, [desktop, place, saved]);
  useEffect(() => {
    latest.current = draft;
    const timer = setTimeout(save, SAVE_MS);
    return () => clearTimeout(timer);
  }, [draft, save]);
  useEffect(() => {
    document.addEventListener('visibilitychange', save);
    return () => {
      document.removeEventListener('visibilitychange', save);
      save();
    };
  }, [save]);
  return saved;
}

/** The draft of a conversation, which survives leaving it, a reload and a crash. @param chat null for a new conversation */
export function useDraft(chat: string | null) {
  const desktop = useDesktopClient();
  const { id: project } = useProject();
  const [place] = useState(() => ({ project, ...(chat !== null && { chat }) }));
  const [draft, change] = useState<Draft>(EMPTY);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const saved = useSaving(draft, place);
  const uploads = useRef<Promise<unknown>>(Promise.resolve());
  const failed = useRef(0);
  const patch = useCallback((key: string, changes: Partial<Attachment> | null) => {
    change((now) => ({
      ...now,
      files: now.files.flatMap((file) => {
        if (file.key !== key) return [file];
        return changes === null ? [] : [{ ...file, ...changes }];
      }),
    }));
  }, []);
  const read = useCallback(
    async ({ key, name, type }: Attachment, blob: Blob) =>
      patch(key, { blob, text: await readText(name, type || blob.type, blob) }),
    [patch],
  );
  useEffect(() => {
    let isLeft = false;
    desktop.request('chats.draft', place).then(
      ({ draft: kept }) => {
        if (isLeft) return;
        const files = kept.files.map((file) => ({
          ...file,
          key: file.id,
          shown: false,
          text: null,
          blob: null,
        }));
        // What was typed and attached before the draft arrived stays.
        const text = sessionStorage.getItem(unsavedKey(place)) ?? kept.text;
        change((now) => ({
          ...kept,
          ...now,
          text: now.text === '' ? text : now.text,
          files: [...files, ...now.files],
        }));
        saved.isHeld = false;
        for (const file of files)
          void desktop.bytes(`/attachments/${encodeURIComponent(file.id)}`).then(
            (blob) => read(file, blob),
            () => undefined,
          );
      },
      () => {
        saved.isHeld = false;
      },
    );
    return () => {
      isLeft = true;
    };
  }, [desktop, place, read, saved]);

  const upload = async (attachment: Attachment, file: File) => {
    try {
      const { id, name, type, bytes } = await desktop.upload(file, undefined, true);
      patch(attachment.key, { id, name, type, bytes });
    } catch (error) {
      failed.current += 1;
      patch(attachment.key, null);
      setFaults((now) => [...now, `${visible(file.name)}: ${(error as Error).message}`]);
    }
  };
  /** Attaches files. What a message does not take is said at once. */
  const add = (given: Iterable<File>) => {
    const files = [...given];
    const small = files.filter(({ size }) => size <= MAX_UPLOAD_BYTES);
    const taken = small.slice(0, Math.max(0, MAX_MESSAGE_FILES - draft.files.length));
    const large = files
      .filter((file) => !small.includes(file))
      .map(({ name }) => `${visible(name)} is larger than ${sizeText(MAX_UPLOAD_BYTES)}.`);
    const over = small.length - taken.length;
    const tooMany = `A message can have up to ${MAX_MESSAGE_FILES} files: ${count(over, 'file')} not added.`;
    setFaults(over > 0 ? [...large, tooMany] : large);
    const made = taken.map((file) => ({
      ...{ key: crypto.randomUUID(), id: null, shown: false, text: null },
      ...{ name: file.name, type: file.type, bytes: file.size, blob: file },
    }));
    change((now) => ({ ...now, files: [...now.files, ...made] }));
    for (const [at, attachment] of made.entries()) {
      const file = taken[at];
      if (!file) continue;
      // One after the other: the desktop takes few at a time.
      uploads.current = uploads.current.then(() => upload(attachment, file));
      void read(attachment, file);
    }
  };
  return {
    draft,
    faults,
    change,
    add,
    patch,
    /** Waits for the uploads, clears the draft, and saves nothing until the message is sent or refused. @returns what to send; null if a file could not be uploaded */
    async begin(): Promise<SentDraft | null> {
      const before = failed.current;
      await uploads.current;
      if (failed.current > before) return null;
      const sent = await new Promise<Draft>((resolve) =>
        change((now) => {
          resolve(now);
          return now;
        }),
      );
      const files = sent.files.filter(isUploaded);
      if (files.length < sent.files.length) {
        setFaults(['A file is not on the desktop yet: remove it and attach it again, or send again.']);
        return null;
      }
      saved.isHeld = true;
      setFaults([]);
      change(EMPTY);
      return { ...sent, files };
    },
    /** Saves again. @param kept the draft of a message that was refused */
    async end(kept: Draft | null) {
      saved.isHeld = false;
      if (kept) return change(kept);
      sessionStorage.removeItem(unsavedKey(place));
      await desktop.request('chats.saveDraft', { ...place, ...savedOf(EMPTY) }).catch(() => undefined);
      // Saves what was written meanwhile.
      saved.json = JSON.stringify(savedOf(EMPTY));
      change((now) => ({ ...now }));
    },
  };
}
