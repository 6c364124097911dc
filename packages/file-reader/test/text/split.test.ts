import { expect, test } from 'vitest';
import { createSplitter } from '../../src/text/split.ts';

type Found = [line: number, text: string, fault?: string];

function split(text: string, chunkBytes = text.length + 1, skipLines = 0): Found[] {
  const found: Found[] = [];
  const layout = { separator: Buffer.from(','), quote: 0x22, skipLines };
  const splitter = createSplitter(layout, (bytes, line, fault) => {
    found.push(fault === undefined ? [line, bytes.toString()] : [line, bytes.toString(), fault]);
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) splitter.write(bytes.subarray(at, at + chunkBytes));
  splitter.end();
  return found;
}

test('a record is named by the line it starts on, whatever ends the lines before', () => {
  expect(split('a,"x\r\ny"\r\n\r\nb\rc\n\n"d\n\n",e\nf')).toEqual([
    [1, 'a,"x\r\ny"'],
    [4, 'b'],
    [5, 'c'],
    [7, '"d\n\n",e'],
    [10, 'f'],
  ]);
});

test('lines before the data are skipped as they are, quotes or not', () => {
  expect(split('say "hi\n"a\nb\nc', 100, 2)).toEqual([
    [3, 'b'],
    [4, 'c'],
  ]);
});

test('a quote opens a value at the start of a field only', () => {
  expect(split('5" pipe,x\ny, "z\n" \n')).toEqual([
    [1, '5" pipe,x'],
    [2, 'y, "z\n" '],
  ]);
});

test('what is quoted wrongly costs its own line', () => {
  expect(split('a,"b"c\n1,2\n"x\ny" z,3\n4\n"open\n5\n')).toEqual([
    [1, 'a,"b"c', 'A quoted value is followed by other text'],
    [2, '1,2'],
    [3, '"x\ny" z,3', 'A quoted value is followed by other text'],
    [5, '4'],
    [6, '"open', "A quoted value isn't closed"],
    [7, '5'],
  ]);
});

test('a quote astray costs its own line, though another value is quoted some lines on', () => {
  const found = split('1,"\n2,y\n3,"x"\n"open\n"4",z\n"5",z');
  expect(found).toEqual([
    [1, '1,"', "A quoted value isn't closed"],
    [2, '2,y'],
    [3, '3,"x"'],
    [4, '"open', "A quoted value isn't closed"],
    [5, '"4",z'],
    [6, '"5",z'],
  ]);
});

test('where the bytes are cut into chunks makes no difference', () => {
  const text = 'é,"a ""b""\r\nc" ,d\r\n\n"",1\r2,"x"y\n"","\n"\n3,"é\n4,"\n5,"z"';
  const whole = split(text);
  for (let chunkBytes = 1; chunkBytes < 12; chunkBytes += 1) expect(split(text, chunkBytes)).toEqual(whole);
});
