const root = 'packages/dashboard/src'

export const area = 'dashboard'

export const tests = ['packages/dashboard/test']

export const mutants = [
  {
    file: `${root}/collect/collector.ts`,
    name: 'an allowed decision that is exempt counts as allowed',
    find: '.exempt === true) record',
    replace: '.exempt === null) record',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'only some denials reach the frequent keys',
    find: 'this.#addKeys(record, keys, 1)',
    replace: 'if (++this.#skipped >= this.#every) this.#addKeys(record, keys, 1)',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'a sampled decision counts once',
    find: 'if (times > 0) this.#addKeys(record, keys, times)',
    replace: 'if (times > 0) this.#addKeys(record, keys, 1)',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'a key that is allowed again stays in the list',
    find: 'this.denied.noteAllowed(deniedPlaces, key, keys, now)',
    replace: 'this.denied.noteAllowed(deniedPlaces, name, keys, now)',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'other processes are not told of a key that is allowed early',
    find: 'if (left <= soonMs) continue',
    replace: 'if (left >= 0) continue',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'a key that is allowed again is removed only if the decision is in the sample',
    find: `    if (record.deniedPlaces.size > 0) this.#noteAllowed(record, keys, now)
    const times = this.#sample.take()
`,
    replace: `    const times = this.#sample.take()
    if (times > 0 && record.deniedPlaces.size > 0) this.#noteAllowed(record, keys, now)
`,
  },
  {
    file: `${root}/collect/sample.ts`,
    name: 'every n-th decision is in the sample',
    find: 'Math.floor(Math.log(1 - Math.random()) / Math.log(1 - this.#part))',
    replace: 'Math.round(1 / this.#part) - 1',
  },
  {
    file: `${root}/collect/denied-keys.ts`,
    name: 'a denial after a key was cleared is removed with it',
    find: 'if (isOver(cleared, this.#last[place], this.#policies[place])) this.#remove(place)',
    replace: 'this.#remove(place)',
  },
  {
    file: `${root}/collect/denied-keys.ts`,
    name: 'a key that one policy allows is no longer denied by another one',
    find: 'if (keys[name] !== key) return 0',
    replace: '',
  },
  {
    file: `${root}/data/snapshot.ts`,
    name: 'the number of denied keys is that of the listed ones',
    find: 'deniedKeys: data.runs.filter((run) => isListed(run, at)).length,',
    replace: 'deniedKeys: Math.min(200, data.runs.filter((run) => isListed(run, at)).length),',
  },
  {
    file: `${root}/keys/look.ts`,
    name: 'an act before the first decision reaches a part of the policies',
    find: 'return isSeen ? groups : [...groups, names]',
    replace: 'return isSeen ? groups : [...groups]',
  },
  {
    file: `${root}/keys/key-desk.ts`,
    name: 'a penalty takes the units of any of the limits',
    find: "request.act === 'penalize' && varying !== undefined",
    replace: "request.act === 'block' && varying !== undefined && false",
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'shadow rules deny requests',
    find: "mode !== 'shadow' && mode !== 'tagging'",
    replace: "mode !== 'tagging'",
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'a dry run denies requests',
    find: "isRequest && mode !== 'dryRun'",
    replace: 'isRequest',
  },
  {
    file: `${root}/data/merge.ts`,
    name: 'denials of other processes that deny no request are lost',
    find: 'sums.wouldDeny.add(policy.wouldDeny)',
    replace: '',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'limiters are not bounded',
    find: 'this.limiters.size < mostLimiters - 1',
    replace: 'this.limiters.size < 1e6',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'sketches are never replaced',
    find: 'else if (to - this.#sketchStep < stepsOfSketch) return',
    replace: 'else if (to - this.#sketchStep < 1e9) return',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'a denial counts for all keys of the request',
    find: 'const { deniedBy } = decision',
    replace: 'const deniedBy = Object.keys(keys)',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'no key is blocked',
    find: 'names.includes(name)) isBlocked = true',
    replace: 'names.includes(name)) isBlocked = false',
  },
  {
    file: `${root}/collect/collector.ts`,
    name: 'a cost that is never allowed ends at once',
    find: 'policies[name].retryAfterMs ?? Infinity',
    replace: 'policies[name].retryAfterMs ?? 0',
  },
  {
    file: `${root}/collect/limiter-record.ts`,
    name: 'policies with one key are of different groups',
    find: 'if (policy.group === group) policy.group = some.group',
    replace: 'if (policy.group === -1) policy.group = some.group',
  },
  {
    file: `${root}/collect/steps.ts`,
    name: 'a step of an hour ago is counted again',
    find: 'ring[step % stepCount] = 0',
    replace: 'ring[(step + 1) % stepCount] = 0',
  },
  {
    file: `${root}/collect/denied-keys.ts`,
    name: 'those that are allowed again latest are dropped',
    find: 'if (end <= this.#due[place]) return place',
    replace: 'if (end > 0) return this.#heap[this.#size - 1]',
  },
  {
    file: `${root}/collect/denied-keys.ts`,
    name: 'an end that becomes sooner is not noted',
    find: 'if (end < this.#due[place]) this.#move(place, end)',
    replace: 'if (this.#due[place] === Infinity) this.#move(place, end)',
  },
  {
    file: `${root}/collect/denied-keys.ts`,
    name: 'a pause does not end a run',
    find: 'place !== undefined && this.#endOf(place) <= now',
    replace: 'place !== undefined && this.#endOf(place) <= 0',
  },
  {
    file: `${root}/collect/denied-keys.ts`,
    name: 'the texts of keys are not bounded',
    find: 'this.#textBytes + bytes > mostTextBytes',
    replace: 'this.#textBytes + bytes > 1e9',
  },
  {
    file: `${root}/collect/denied-keys.ts`,
    name: 'a key keeps the header that it is a part of',
    find: 'const own = ` ${key}`.slice(1)',
    replace: 'const own = key',
  },
  {
    file: `${root}/collect/key-memory.ts`,
    name: 'sketches are not bounded',
    find: 'if (this.#bytes > mostBytes) this.#settle()',
    replace: 'if (this.#bytes > 1e9) this.#settle()',
  },
  {
    file: `${root}/collect/subscription.ts`,
    name: 'the first dashboard that closes ends all',
    find: 'if (--shared.users > 0) return',
    replace: '',
  },
  {
    file: `${root}/collect/subscription.ts`,
    name: 'a dashboard that is closed twice ends the other one',
    find: 'if (isReleased) return',
    replace: '',
  },
  {
    file: `${root}/collect/store-records.ts`,
    name: 'a store that is back stays open',
    find: "record.openAt = state === 'open' ? this.#clock() : undefined",
    replace: 'record.openAt = this.#clock()',
  },
  {
    file: `${root}/collect/store-records.ts`,
    name: 'a fallback never ends',
    find: 'fallbacks.delete(limiter)',
    replace: 'fallbacks.delete(state)',
  },
  {
    file: `${root}/data/counts.ts`,
    name: 'older minutes of others are lost',
    find: 'this.#minutes[later + i] += minutes[i]',
    replace: 'this.#minutes[later + i] += 0 * minutes[i]',
  },
  {
    file: `${root}/data/counts.ts`,
    name: 'steps of others are shifted',
    find: 'this.#steps[shift + i] += steps[i]',
    replace: 'this.#steps[shift + i - 1] += steps[i]',
  },
  {
    file: `${root}/data/merge.ts`,
    name: 'a reset in another process is not seen',
    find: 'cleared.size > 0 &&',
    replace: 'cleared.size > 1e9 &&',
  },
  {
    file: `${root}/data/merge.ts`,
    name: 'denials of several processes are not added',
    find: 'denials: a.denials + b.denials',
    replace: 'denials: a.denials',
  },
  {
    file: `${root}/data/snapshot.ts`,
    name: 'a snapshot is as large as its data',
    find: 'export const mostBytes = 65_536',
    replace: 'export const mostBytes = 655_360',
  },
  {
    file: `${root}/data/read-snapshot.ts`,
    name: 'any version is merged',
    find: "value['v'] !== snapshotVersion",
    replace: "value['v'] === undefined",
  },
  {
    file: `${root}/data/present.ts`,
    name: 'limiters that cannot be acted upon say that they can',
    find: 'canAct: acting.includes(name)',
    replace: 'canAct: !acting.includes("")',
  },
  {
    file: `${root}/data/present.ts`,
    name: 'the mask is not applied to denied keys',
    find: `        id: shown.idOf(limiter, key),
        key: shown.textOf(key),
        policies,`,
    replace: `        id: shown.idOf(limiter, key),
        key,
        policies,`,
  },
  {
    file: `${root}/share/others.ts`,
    name: 'the data of this process count twice',
    find: '.filter(([process]) => process !== this.#process)',
    replace: '',
  },
  {
    file: `${root}/share/others.ts`,
    name: 'each request makes a call while Redis does not answer',
    find: 'this.#reading ??= this.#read(share)',
    replace: 'this.#reading = this.#read(share)',
  },
  {
    file: `${root}/share/others.ts`,
    name: 'Redis is read after the page was closed',
    find: 'if (performance.now() - this.#askedAt < asksWithinMs) {',
    replace: 'if (this.#askedAt > 0) {',
  },
  {
    file: `${root}/share/others.ts`,
    name: 'a request waits for Redis although the page is open',
    find: `      void this.#readInTime(share)
      return
`,
    replace: '',
  },
  {
    file: `${root}/share/others.ts`,
    name: 'data that can not be read again are shown as before',
    find: `    } catch (error) {
      this.#latest = undefined
`,
    replace: '    } catch (error) {\n',
  },
  {
    file: `${root}/share/redis-view.ts`,
    name: 'a snapshot is not read again after it was written again',
    find: 'known.get(id)?.writtenAt !== at',
    replace: 'known.get(id) === undefined',
  },
  {
    file: `${root}/share/redis-view.ts`,
    name: 'each snapshot is read each time',
    find: 'listed.filter(({ id, at }) => known.get(id)?.writtenAt !== at)',
    replace: 'listed',
  },
  {
    file: `${root}/share/publisher.ts`,
    name: 'writes pile up while Redis does not answer',
    find: 'if (!this.#isWriting) void this.#writeAll()',
    replace: 'void this.#writeAll()',
  },
  {
    file: `${root}/share/publisher.ts`,
    name: 'the end waits for Redis',
    find: "bounded(this.#share.remove(thisProcess), removeMs, 'Redis')",
    replace: 'this.#share.remove(thisProcess)',
  },
  {
    file: `${root}/share/publisher.ts`,
    name: 'the end of one dashboard removes the data of the others',
    find: 'if (this.#sources.size > 0) return\n',
    replace: '',
  },
  {
    file: `${root}/share/publisher.ts`,
    name: 'keys that other processes have cleared stay in the list',
    find: '      source.clear(cleared)\n',
    replace: '',
  },
  {
    file: `${root}/share/redis-view.ts`,
    name: 'a snapshot never ends',
    find: "redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[5])",
    replace: "redis.call('SET', KEYS[2], ARGV[3])",
  },
  {
    file: `${root}/share/redis-view.ts`,
    name: 'each process has a secret of its own',
    find: "redis.call('SET', KEYS[3], ARGV[4], 'NX')",
    replace: "redis.call('SET', KEYS[3], ARGV[4])",
  },
  {
    file: `${root}/share/search.ts`,
    name: 'only one master is searched',
    find: "if (next === '0') at++",
    replace: "if (next === '0') at = masters.length",
  },
  {
    file: `${root}/share/search.ts`,
    name: 'a name is a pattern',
    find: 'escapeGlob(clientPrefix + redisKeyStart(prefix, limiter))',
    replace: '(clientPrefix + redisKeyStart(prefix, limiter))',
  },
  {
    file: `${root}/share/search.ts`,
    name: 'searches have no pace',
    find: 'await pace.take(namesPerScan)',
    replace: '',
  },
  {
    file: `${root}/keys/key-ids.ts`,
    name: 'an id can be computed',
    find: 'JSON.stringify([this.#secret, limiter, key])',
    replace: 'JSON.stringify([limiter, key])',
  },
  {
    file: `${root}/keys/look.ts`,
    name: 'an act reaches the policies of other keys',
    find: 'if (knowing.length === 0) return',
    replace: 'if (knowing.length >= 0) return',
  },
  {
    file: `${root}/keys/look.ts`,
    name: 'an act reaches only the policies that know the key',
    find: 'return new Set([...knowing, ...joined.flat()])',
    replace: 'return new Set([...knowing, ...joined.flat().slice(0, 0)])',
  },
  {
    file: `${root}/keys/known-keys.ts`,
    name: 'a text is always a key of the application',
    find: 'return countedKey(text).toString()',
    replace: 'return joinKey(countedKey(text).toString()) ?? text',
  },
  {
    file: `${root}/keys/key-desk.ts`,
    name: 'an act is carried out in this process only',
    find: `    if (source !== 'store') throw refusal('SLUICE_VIEW_STORE_UNAVAILABLE')
    const varying`,
    replace: '    const varying',
  },
  {
    file: `${root}/keys/key-desk.ts`,
    name: 'keys that are not blocked are found',
    find: 'blockedMs }) => blockedMs > 0)',
    replace: 'blockedMs }) => blockedMs >= 0)',
  },
  {
    file: `${root}/keys/key-desk.ts`,
    name: 'an act that fails is not published',
    find: `      this.#publish(key, request, by, error)
      throw error`,
    replace: '      throw error',
  },
  {
    file: `${root}/http/origin.ts`,
    name: 'another site can act',
    find: "if (site !== undefined && site !== 'same-origin') throw",
    replace: "if (site === 'none') throw",
  },
  {
    file: `${root}/http/origin.ts`,
    name: 'another origin can act',
    find: 'return new URL(origin).host === (host ?? authority)',
    replace: 'return new URL(origin).host !== (host ?? authority) || true',
  },
  {
    file: `${root}/http/origin.ts`,
    name: 'an act needs no header',
    find: "if (headers['x-sluice'] !== '1') throw",
    replace: "if (headers['x-sluice'] === '0') throw",
  },
  {
    file: `${root}/http/origin.ts`,
    name: 'a form can act',
    find: "if (type.trim().toLowerCase() !== 'application/json')",
    replace: "if (type.trim().toLowerCase() === 'text/plain')",
  },
  {
    file: `${root}/http/handler.ts`,
    name: 'a visitor who may only look can act',
    find: "if (visitor.role !== 'write') throw",
    replace: 'if (visitor.role === undefined) throw',
  },
  {
    file: `${root}/http/authorize.ts`,
    name: 'an error of authorize gives a role',
    find: `    warn(error)
    throw forbidden()`,
    replace: `    warn(error)
    return 'read'`,
  },
  {
    file: `${root}/http/authorize.ts`,
    name: 'any word is a role',
    find: `if (role === 'read' || role === 'write') {
`,
    replace: `if (typeof role === 'string') {
    // @ts-expect-error
`,
  },
  {
    file: `${root}/http/body.ts`,
    name: 'a body of unknown length is not bounded',
    find: 'if (size > mostBytes) reject(tooLarge())',
    replace: 'if (size > 1e9) reject(tooLarge())',
  },
  {
    file: `${root}/http/route.ts`,
    name: 'the page is served without its slash',
    find: "wholePath.endsWith('/') ? { type: 'page' } : withSlash(wholePath)",
    replace: "wholePath === '' ? withSlash(wholePath) : { type: 'page' }",
  },
  {
    file: `${root}/http/respond.ts`,
    name: 'the headers of the application stay',
    find: 'response.setHeader(name, value)',
    replace: 'if (!response.hasHeader(name)) response.setHeader(name, value)',
  },
  {
    file: `${root}/dashboard.ts`,
    name: 'a mask that fails shows the key',
    find: '      return hidden\n',
    replace: '      return key\n',
  },
  {
    file: `${root}/data/merge.ts`,
    name: 'a run of denials has the policies of one process only',
    find: 'more.length === 0 ? a.policies : [...a.policies, ...more]',
    replace: 'a.policies',
  },
]
