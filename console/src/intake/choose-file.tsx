import weather from '@observablehq/sample-datasets/weather.csv?url';
import { Action } from '../parts/action.tsx';
import * as texts from '../texts/index.ts';
import { give } from './given.ts';

/** A file of one's own, or the sample that comes with the console. */
export function ChooseFile() {
  return (
    <>
      <p className="hint">{texts.intake.hint}</p>
      <label htmlFor="file">{texts.intake.choose}</label>
      <input id="file" type="file" onChange={({ target }) => give(target.files?.[0])} />
      <div className="buttons">
        <Action
          isPlain
          does={async () => {
            const response = await fetch(weather);
            if (!response.ok) throw new Error(response.statusText);
            give(new File([await response.blob()], 'weather.csv', { type: 'text/csv' }));
          }}
        >
          {texts.intake.sample}
        </Action>
      </div>
    </>
  );
}
