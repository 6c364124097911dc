import * as texts from '../texts/index.ts';

/** No value: an empty text is one. */
export const Null = () => <em className="null">{texts.parts.noValue}</em>;
