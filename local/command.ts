/**
 * Runs an operator's command with its arguments. It ends with 0, or with 1 and what went wrong on standard
 * error.
 */
export async function runCommand(main: (args: readonly string[]) => Promise<void>): Promise<void> {
  try {
    await main(process.argv.slice(2));
    // Open connections of the data layer must not keep a finished command alive.
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
