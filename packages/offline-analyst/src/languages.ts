import { stopWords } from './lexicon.ts';
import { tokenize } from './words.ts';

interface Language {
  /** Words that hardly any question in it does without. */
  words: ReadonlySet<string>;
  /** That only English is read, said in it. */
  text: string;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const languages: readonly Language[] = [
  {
    words: words(
      'wie viele viel der die das den dem ein eine es im und von pro nach welche welcher welches zeige gab gibt waren war ist sind mit fur aus hat haben was wo wann',
    ),
    text: 'Ich lese nur Englisch und habe nichts abgefragt. Bitte stellen Sie die Frage auf Englisch.',
  },
  {
    words: words(
      'combien de des du le la les un une par est sont quel quelle quels quelles et pour avec dans sur mois ont etait il y quels montre moi',
    ),
    text: 'Je ne lis que l’anglais et je n’ai rien interrogé. Veuillez poser la question en anglais.',
  },
  {
    words: words(
      'cuantos cuantas cuanto que el los las una por es son cual cuales y para con en del hay hubo muestra mes',
    ),
    text: 'Solo leo inglés y no he consultado nada. Haga la pregunta en inglés, por favor.',
  },
  {
    words: words(
      'quanti quante quanto che il lo gli una per sono quale quali e con nel del della mostra ci mese',
    ),
    text: 'Leggo solo l’inglese e non ho interrogato nulla. Per favore, ponga la domanda in inglese.',
  },
  {
    words: words(
      'quantos quantas quanto que o os as uma por sao qual quais e para com no na do da houve mostre mes',
    ),
    text: 'Só leio inglês e não consultei nada. Faça a pergunta em inglês, por favor.',
  },
  {
    words: words('hoeveel de het een van per zijn is welke en met in naar voor er was waren toon maand'),
    text: 'Ik lees alleen Engels en heb niets opgevraagd. Stel de vraag in het Engels.',
  },
];

/** Fewer words in common may be chance. */
const fewestWords = 2;

/** A refusal in the language of a message that is not English; undefined if it may be English. */
export function languageOf(message: string): string | undefined {
  const said = tokenize(message).tokens.filter(({ kind }) => kind === 'word');
  const count = (known: ReadonlySet<string>) =>
    new Set(said.flatMap(({ word }) => (known.has(word) ? word : []))).size;
  const [best] = languages
    .map(({ words: known, text }) => ({ found: count(known), text }))
    .sort((a, b) => b.found - a.found);
  if (best === undefined || best.found < fewestWords || best.found <= count(stopWords)) return undefined;
  return best.text;
}
