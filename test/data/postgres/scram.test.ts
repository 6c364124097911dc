import { expect, test } from 'vitest';
import { scramVerifier } from '../../../data/postgres/scram.ts';

test('is what PostgreSQL makes of the password', () => {
  // RFC 7677, section 3: password and salt, and what follows from them.
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  expect(scramVerifier('pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});
