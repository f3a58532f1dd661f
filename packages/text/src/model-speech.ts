/**
 * Phrases by which the description of a tool gives orders to a model instead of saying what the tool does, as published attacks on tool
 * descriptions use them. They mark a text for a person who reads it; they decide nothing.
 */
const PHRASES: readonly RegExp[] = [
  /\b(?:before|after|instead of|prior to) (?:any|every|all|each|using any|calling any)(?: other)? tools?\b/gi,
  /\b(?:first|last) step of (?:any|every|each|all)\b/gi,
  /\b(?:always|must|never) (?:first )?(?:call|invoke|prefer|pick|choose) \w{1,20}\b/gi,
  /\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform|informing|ask|asking|notify|notifying|show|showing|reveal|revealing) (?:\w{1,12} ){0,3}users?\b/gi,
  /\b(?:ignore|disregard|forget|override) (?:\w{1,12} ){0,3}(?:instructions?|prompts?|rules|guidelines)\b/gi,
  /<\/?(?:important|system|instructions?|secret|admin|critical)>/gi,
  /\b(?:system prompt|chain of thought|hidden instructions?)\b/gi,
  /\b(?:secretly|silently|covertly)\b/gi,
  /(?:~\/\.\w{1,20}|\bid_rsa\b|\bid_ed25519\b|\.env\b|\.ssh\b|\.aws\b)/gi,
  /\b(?:user's|users|their|the|all|any) (?:\w{1,12} )?(?:passwords?|credentials|api keys?|private keys?|access tokens?|cookies)\b/gi,
  /\b(?:dear|attention,?|note to(?: the)?) (?:assistant|agent|model|ai|llm)\b/gi,
];

/** A part of a text. `speaks` marks a phrase that gives orders to a model. */
export type SpeechPart = { text: string; speaks: boolean };

type Range = { from: number; to: number };

function rangesOf(text: string): Range[] {
  const found = PHRASES.flatMap((phrase) =>
    Array.from(text.matchAll(phrase), ({ index, 0: { length } }) => ({ from: index, to: index + length })),
  ).sort((a, b) => a.from - b.from);
  const merged: Range[] = [];
  for (const range of found) {
    const last = merged.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else merged.push(range);
  }
  return merged;
}

/** Splits the text of a tool at the phrases that give orders to a model. The parts joined are the text. */
export function modelSpeech(text: string): SpeechPart[] {
  const parts: SpeechPart[] = [];
  let at = 0;
  for (const { from, to } of rangesOf(text)) {
    if (from > at) parts.push({ text: text.slice(at, from), speaks: false });
    parts.push({ text: text.slice(from, to), speaks: true });
    at = to;
  }
  if (at < text.length || parts.length === 0) parts.push({ text: text.slice(at), speaks: false });
  return parts;
}
