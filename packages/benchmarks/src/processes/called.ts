/** The member of a list with the name that a process was given. */
export function called<M extends { readonly name: string }>(
  members: readonly M[],
  name: string,
): M {
  const found = members.find((member) => member.name === name)
  if (found === undefined) throw new Error(`nothing is called ${name}`)
  return found
}
