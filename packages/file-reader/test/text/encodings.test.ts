import iconv from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { detectEncoding } from '../../src/text/encoding.ts';
import { encodingName } from '../../src/text/encoding-names.ts';
import { failureOf, type Lab, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const nameOf = (bytes: Buffer): string => encodingName(detectEncoding(bytes) ?? 'none');

test.each([
  ['ISO_8859-1:1987', 'latin1'],
  ['IBM00858', 'cp858'],
  ['ISO_10646_UCS_2', 'utf16be'],
])('%s of the registry is known', async (name, codec) => {
  const source = await lab.upload(iconv.encode('a\ncafé\n', codec));
  const { rows } = await lab.previewFile(source, { csv: { charEncoding: name } });
  expect(rows).toEqual([['café']]);
});

test.each([undefined, 'ISO_2022_JP', 'csISO2022JP'])('ISO-2022-JP, given as %s', async (charEncoding) => {
  const text =
    '\u001b$BL>A0\u001b(B,\u001b$B?t\u001b(B\n\u001b$BEl5~\u001b(B,1\n"\u001b$BBg:e\u001b(B, \u001b$BI\\\u001b(B",2\n';
  const source = await lab.upload(Buffer.from(text, 'latin1'));
  const { columns, rows } = await lab.previewFile(source, { csv: { charEncoding } });
  expect(columns.map(({ sourceName }) => sourceName)).toEqual(['名前', '数']);
  expect(rows).toEqual([
    ['東京', 1],
    ['大阪, 府', 2],
  ]);
  const broken = await lab.upload(Buffer.from('a\n\u001b$BEl5\u001b(B\n', 'latin1'));
  expect(await failureOf(lab.importFile(broken, { csv: { charEncoding: 'ISO_2022_JP' } }))).toMatchObject({
    code: 'bad_row',
  });
});

describe('text that is not UTF-8', () => {
  test.each<[string, string]>([
    ['a,b\n1,it’s\n', 'an apostrophe'],
    ['id,name\n1,café\n', 'one letter'],
    [`id,name\n${'1,plain text\n'.repeat(500)}2,café\n`, 'one letter late'],
    ['id,price\n1,5 €\n2,7 €\n', 'a currency'],
    ['n\n1\u00a0234\n5\u00a0678\n', 'no-break spaces'],
    ['t,unit\n1,°C\n2,µm\n3,m²\n', 'units'],
    ['Name;Ort\nMüller;Köln\nSchäfer;Düsseldorf\nGroß;Zürich\n', 'German'],
    ['Prénom;Ville\nRené;Orléans\nHélène;Nîmes\nFrançois;Besançon\n', 'French'],
    ['ciudad,país\nMálaga,España\nCórdoba,Argentina\nBogotá,Colombia\n', 'Spanish'],
    ['navn,by\nBjørn,Tromsø\nÅse,Århus\n', 'Norwegian'],
    [
      'nafn\nÞórður\nGuðrún\nÆgir\nSigríður\nJóhannsdóttir\nKópavogur\nGarðabær\nÞorsteinn\nBjörk\n',
      'Icelandic',
    ],
    ['name\nJosé\nZoë\nRenée\nJürgen\nSiân\nSøren\nNúria\nFrançois\n', 'names of many countries'],
    ['NOM;VILLE\nRENÉ;ORLÉANS\nÜNAL;KÖLN\n', 'capitals'],
  ])('is windows-1252 where it looks Western: %#', (text) => {
    expect(nameOf(iconv.encode(text, 'win1252'))).toBe('WINDOWS_1252');
  });

  test.each<[string, string]>([
    ['WINDOWS_1251', 'id;city\n1;Москва\n'],
    ['WINDOWS_1251', 'Имя;Город\nИван;Москва\nПётр;Санкт-Петербург\nАнна;Новосибирск\n'],
    ['KOI8_R', 'Имя;Город\nИван;Москва\nПётр;Санкт-Петербург\nАнна;Новосибирск\n'],
    ['IBM866', 'Имя;Город\nИван;Москва\nПётр;Санкт-Петербург\nАнна;Новосибирск\n'],
    ['SHIFT_JIS', '名前,都市\n田中,東京\n鈴木,大阪\nさとう,名古屋\n'],
    ['EUC_JP', '名前,都市\n田中,東京\n鈴木,大阪\nさとう,名古屋\n'],
    ['GB18030', '姓名,城市\n张伟,北京\n王芳,上海\n李娜,广州\n'],
    ['BIG5', '姓名,城市\n陳大文,台北\n林美麗,高雄\n王小明,台中\n'],
    ['EUC_KR', '이름,도시\n김철수,서울\n이영희,부산\n박민수,대구\n'],
    ['WINDOWS_1250', 'Imię;Miasto\nŁukasz;Łódź\nMałgorzata;Kraków\nŻaneta;Gdańsk\n'],
    ['ISO_8859_2', 'Imię;Miasto\nŁukasz;Łódź\nMałgorzata;Kraków\nŻaneta;Gdańsk\n'],
    ['WINDOWS_1253', 'Όνομα;Πόλη\nΓιώργος;Αθήνα\nΜαρία;Θεσσαλονίκη\n'],
    ['WINDOWS_1255', 'שם;עיר\nדוד;ירושלים\nשרה;תל אביב\n'],
    ['WINDOWS_1256', 'الاسم;المدينة\nمحمد;القاهرة\nفاطمة;بغداد\n'],
  ])('is detected: %s', async (name, text) => {
    const source = await lab.upload(iconv.encode(text, name.replaceAll('_', '')));
    const { columns, rows, detectedCsv } = await lab.previewFile(source);
    const [header, ...records] = text.trim().split('\n');
    const cells = (line: string): string[] => line.split(/[,;]/);
    expect(detectedCsv?.charEncoding).toBe(name);
    expect([columns.map(({ sourceName }) => sourceName), rows.map((row) => row.map(String))]).toEqual([
      cells(header!),
      records.map(cells),
    ]);
  });

  test.each<[string, string, string]>([
    ['csUTF8', 'ñ', 'utf8'],
    ['csWindows1251', 'Москва', 'win1251'],
    ['csISO885915', '€', 'iso885915'],
    ['ISO_8859_6_I', 'القاهرة', 'iso88596'],
    ['Extended_UNIX_Code_Packed_Format_for_Japanese', '東京', 'eucjp'],
    ['ISO_10646_UCS_4', '東京', 'utf32be'],
    ['KZ_1048', 'Қала', 'rk1048'],
  ])('may have any name of the registry: %s', async (charEncoding, city, encoding) => {
    const source = await lab.upload(iconv.encode(`city,n\n${city},1\n`, encoding, { addBOM: false }));
    const { rows } = await lab.previewFile(source, { csv: { charEncoding } });
    expect(rows).toEqual([[city, 1]]);
  });

  test.each<[string, string, string]>([
    ['a few characters of Japanese', '名;n\n表;1\n', 'shift_jis'],
    ['Turkish or Icelandic', 'ad;şehir\nAyşe;İstanbul\nÇağlar;Eskişehir\nIşıl;Muğla\n', 'win1254'],
    ['German of DOS', 'Name;Ort\nMüller;Köln\nSchäfer;Düsseldorf\nGroß;Zürich\n', 'cp850'],
  ])('is refused where the bytes do not tell, until the encoding is given: %s', async (_, text, encoding) => {
    const source = await lab.upload(iconv.encode(text, encoding));
    const failure = await failureOf(lab.importFile(source));
    expect(failure).toMatchObject({ code: 'bad_encoding' });
    expect(failure.message).toContain('csv.char_encoding');
    const charEncoding = { shift_jis: 'SHIFT_JIS', win1254: 'WINDOWS_1254', cp850: 'IBM850' }[encoding]!;
    const { columns } = await lab.importFile(source, { csv: { charEncoding } });
    expect(columns[0]).toContain(text.split(';')[0]);
  });

  test('that comes after a megabyte of ASCII is detected by what comes there', async () => {
    const start = `id,city\n${Array.from({ length: 90_000 }, (_, index) => `${index},plain`).join('\n')}\n`;
    const end = iconv.encode('90000,Новосибирск\n90001,Санкт-Петербург\n', 'win1251');
    const { rows } = await lab.importFile(await lab.upload(Buffer.concat([Buffer.from(start), end])));
    expect(rows.slice(-2).map(([, city]) => city)).toEqual(['Новосибирск', 'Санкт-Петербург']);
  });

  test('UTF-8 with some damage is still UTF-8', () => {
    expect(nameOf(Buffer.concat([Buffer.from('a\né\nü\n'), Buffer.from([0xff, 10])]))).toBe('UTF_8');
    expect(nameOf(Buffer.concat([Buffer.from([0xff, 10]), Buffer.from('a\né\nü\n')]))).toBe('UTF_8');
  });

  test.each([
    [(index: number) => (index % 50 === 0 ? 0xe9 : 97)],
    [(index: number) => 0x80 + ((index * 7919) % 128)],
  ])('of a megabyte without any separator is judged within the time of a test: %#', async (byteAt) => {
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => byteAt(index)));
    const judge = async (): Promise<unknown> => detectEncoding(bytes);
    await judge().catch((error: unknown) =>
      expect(error).toMatchObject({ failure: { code: 'bad_encoding' } }),
    );
  });
});
