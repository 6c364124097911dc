/**
 * From a fresh stack to an answer about one's own CSV, as somebody does it who has never seen the console:
 * `npm start` with an empty WORKSPACE_DATA_DIR, then `node bench/first-answer.ts FILE.csv "question"`. Prints the
 * clicks and the seconds since it began. A browser is needed (Debian's package chromium-headless-shell).
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { launchBrowser } from './browser.ts';

const [file, question] = process.argv.slice(2);
if (file === undefined || question === undefined) throw new Error('Give a file and a question.');
const dataDir = process.env['WORKSPACE_DATA_DIR'] ?? '.data';
const { ownerUrl } = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'));
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  const begunMs = performance.now();
  let clicks = 0;
  const click = async (name: string, role: 'button' | 'link' = 'button') => {
    await page.getByRole(role, { name, exact: true }).first().click();
    clicks += 1;
    console.log(`${((performance.now() - begunMs) / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  };
  await page.goto(ownerUrl);
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('correct horse battery staple');
  await click('Create account');
  await click('Open the console', 'link');
  await page.getByRole('heading', { name: 'Data' }).waitFor();
  // In the page, whose types are not known here.
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    const text = ${JSON.stringify(readFileSync(file, 'utf8'))};
    dataTransfer.items.add(new File([text], ${JSON.stringify(basename(file))}));
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
  })()`);
  await click('Create project');
  await click('Import');
  await click('Ask about this table', 'link');
  await page.getByLabel('Your question').fill(question);
  await page.getByLabel('Your question').press('Enter');
  await page.getByRole('button', { name: 'Save as report' }).waitFor();
  console.log(
    `${((performance.now() - begunMs) / 1_000).toFixed(1).padStart(6)} s  answered, after ${clicks} clicks`,
  );
  console.log(await page.getByRole('list', { name: 'Messages' }).locator('> li').last().textContent());
} finally {
  await browser.close();
}
