import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';
import { give } from './given.ts';
import { SampleData } from './sample.tsx';

/** A file of one's own, or the sample that comes with the console. */
export const ChooseFile = () => (
  <>
    <Text c="dimmed">{texts.intake.hint}</Text>
    <label htmlFor="file">{texts.intake.choose}</label>
    <input id="file" type="file" multiple onChange={({ target }) => give(target.files ?? [])} />
    <SampleData />
    <p>
      <Link to="/in-project/$room" params={{ room: 'files' }}>
        {texts.intake.kept}
      </Link>
    </p>
  </>
);
