import assert from 'node:assert/strict'

/** Each job starts once, in order and at the pace, and ends with a mail or with a reason for none; then the worker ends. */
export async function queueWorker(program) {
  await program.end()
  const said = program.output.trim().split('\n')
  const numbers = (pattern) =>
    said.flatMap((line) => pattern.exec(line)?.slice(1).map(Number) ?? [])

  const jobs = Array.from({ length: 10 }, (_, i) => i + 1)
  assert.deepEqual(numbers(/job (\d+) starts$/), jobs)
  assert.deepEqual(
    numbers(/mail to \w+ about job (\d+)/).toSorted((a, b) => a - b),
    jobs,
  )
  const times = numbers(/^([\d.]+) s {2}job \d+ starts$/)
  times.forEach((time, i) => {
    // The program prints tenths of a second.
    assert.ok(time >= 0.2 * i - 0.05, `job ${i + 1} started after ${time} s already`)
  })
  assert.match(said.at(-1), / s {2}done$/)
  const refused = said.filter((line) => line.includes('too many')).length
  assert.ok(refused >= 1, 'no mail was one too many')
  return `10 jobs in ${Math.max(...times)} s, ${10 - refused} mails sent`
}
