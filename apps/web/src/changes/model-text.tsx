import { modelSpeech, visible } from '@svc/text';

/** The text of a tool; phrases that give orders to a model are marked. */
export const ModelText = ({ text }: { text: string }) => {
  let at = 0;
  return modelSpeech(text).map((part) => {
    const key = at;
    at += part.text.length;
    if (!part.speaks) return <bdi key={key}>{visible(part.text)}</bdi>;
    return (
      <mark key={key} className="speaks" title="This phrase gives orders to the model.">
        {visible(part.text)}
      </mark>
    );
  });
};
