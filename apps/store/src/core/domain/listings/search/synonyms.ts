import { formsOf } from './word-forms.ts';

/**
 * Words that users and publishers say for the same: English, German, French and Spanish on one line. A word may be on several lines. The
 * words are as `wordsOf` returns them: without accents.
 */
const LINES = [
  'note memo minute jotting notepad notebook notiz nota bloc',
  'todo task checklist chore errand aufgabe tache tarea',
  // Without `todo`: most descriptions list something.
  'list checklist liste lista',
  'photo picture image photograph foto bild imagen snapshot pic',
  'edit retouch crop resize bearbeiten modifier editar',
  'mail email inbox message newsletter courriel correo nachricht',
  'send dispatch deliver senden envoyer enviar',
  'invoice bill billing rechnung facture factura',
  'calendar schedule appointment agenda kalender calendrier calendario termin',
  'remind reminder alert alarm erinnerung rappel recordatorio',
  'translate translator language interpreter ubersetzer ubersetzen traduire traductor',
  'password passphrase credential passwort contrasena',
  'recipe cook cooking dish meal rezept recette receta kitchen dessert',
  'weather forecast meteo wetter tiempo',
  'map atlas road route navigation karte carte mapa',
  'time timer stopwatch track hour zeit temps tiempo timesheet',
  'money budget finance expense spend geld argent dinero',
  'salary wage payslip payroll pay gehalt salaire sueldo',
  'tax deduction steuer impot impuesto',
  'database sql postgres query datenbank',
  'cluster kubernetes container pod k8s',
  'regex regexp pattern regular',
  'font typeface typography kerning lettering schrift',
  'film video movie clip recording footage pelicula',
  'record capture recorder screencast aufnehmen enregistrer grabar',
  'music song audio sound chord musik musique musica',
  'tune tuner pitch',
  'bird birdsong ornithology vogel oiseau pajaro',
  'bee honey hive apiary beekeeping imker',
  'star astronomy constellation sky stargazer planet',
  'bread sourdough bake baking dough oven brot pain pan',
  'family genealogy ancestor ancestry heritage familie famille familia',
  'game play puzzle spiel jeu juego',
  'dice roll d20 die random',
  'chess schach echecs ajedrez',
  'crossword wordplay clue hint',
  'spreadsheet excel table formula sheet tabelle tableur',
  'draw sketch drawing diagram canvas whiteboard paint zeichnen dessiner dibujar',
  'cv resume curriculum vita vitae lebenslauf',
  'accessibility a11y wcag contrast screenreader',
  'document doc text page markdown dokument',
  'travel trip journey holiday vacation reise voyage viaje',
  'fitness workout exercise training sport gym',
  'health medical medicine gesundheit sante salud',
  'shop store buy purchase shopping einkaufen acheter comprar',
  'learn study education teach lernen apprendre aprender',
  'job career work hiring arbeit travail trabajo',
  'chat talk conversation messenger',
  'customer client crm kunde',
  'develop code program programming developer software coding',
  'chart graph plot diagram visualise visualize',
  'plan planner organise organize planen',
  'kid child children kinder enfants ninos',
  'thumbnail preview cover vorschau',
  'plant garden gardening pflanze jardin',
  'sleep schlaf sommeil dormir',
  'subtitle caption transcript',
  'compress shrink smaller optimise optimize',
  'convert transform export turn',
  'file folder datei fichier archivo',
  'secure safe private security sicher',
  'voice speech spoken speak stimme',
  'fix repair correct mistake error broken reparieren',
  'pdf print printed printable',
  'news headline article nachrichten',
  'book reading ebook novel buch livre libro',
  'meeting meet conference call minute besprechung reunion',
] as const;

const BY_WORD = new Map<string, Set<string>>();
for (const line of LINES) {
  const words = line.split(' ');
  for (const word of words) BY_WORD.set(word, (BY_WORD.get(word) ?? new Set()).union(new Set(words)));
}

/** Words with the same meaning, in their usual forms. @param word with its own forms: `photos` finds `pictures` */
export function synonymsOf(word: string): Set<string> {
  const forms = formsOf(word);
  const lines = [word, ...forms].flatMap((form) => [...(BY_WORD.get(form) ?? [])]);
  const words = new Set(lines.flatMap((other) => [other, ...pluralsOf(other)]));
  return words.difference(forms).difference(new Set([word]));
}

/** Only the forms that names and descriptions use most: a synonym is one step away already. */
const pluralsOf = (word: string): string[] => [
  ...(/[^aeiou]y$/.test(word) ? [`${word.slice(0, -1)}ies`] : [`${word}s`]),
  ...(word.endsWith('e') ? [`${word}r`] : [`${word}er`]),
];

/** Words of a question that say nothing about an app. They count only when all words of a query are such. */
const LIGHT: ReadonlySet<string> = new Set(
  `a an the of for to in on with and or my me i you your that it is are be can do does how what which from by at as into this these some any
  all app apps tool tools software program plugin application take taking make making get getting use using manage managing keep keeping
  help helper find finding finds search show shows best good free online simple easy easily quick quickly need want way ways
  der die das ein eine und fur mit mein meine ich le la les un une et pour avec mon ma mes el los las una y para con mi`.split(
    /\s+/,
  ),
);

export const isLight = (word: string): boolean => LIGHT.has(word);
