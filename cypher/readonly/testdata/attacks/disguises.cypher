// name: an escape inside a keyword
// word: \u0043
\u0043REATE (n)
// ---
// word: \u0045
CR\u0045ATE (n)
// ---
// word: \u0054
MATCH (n) SE\u0054 n.x = 1
// ---
// word: \u0020
MATCH (n)\u0020DELETE n
// ---
// name: an escaped quote ends the string
// word: \u0027
MATCH (n) WHERE n.name = '\u0027 DELETE n //' RETURN n
// ---
// word: \u0022
MATCH (n) WHERE n.name = "\u0022 DELETE n //" RETURN n
// ---
// word: \u005c
RETURN '\u005c' + ' DELETE n //'
// ---
// word: \u005C
RETURN '\u005C' AS x
// ---
// name: an escaped backtick ends the name
// word: \u0060
MATCH (n) WITH n AS `a\u0060 DELETE n //` RETURN 1
// ---
// name: an escaped line feed ends the comment
// word: \u000a
MATCH (n) // harmless \u000a DELETE n
RETURN 1
// ---
// word: \u000D
MATCH (n) // harmless \u000D DELETE n
RETURN 1
// ---
// word: \u002a
MATCH (n) /* \u002a/ DELETE n /* */ RETURN 1
// ---
// word: \u002F
MATCH (n) /* *\u002F DELETE n /* */ RETURN 1
// ---
RETURN '\u00' AS x
// ---
RETURN '\uZZZZ' AS x
// ---
RETURN '\uu0041' AS x
// ---
// name: the backslash before the quote is itself escaped
// word: DELETE
MATCH (n) WHERE n.name = 'x\\' DELETE n //'
// ---
// name: a full-width letter
MATCH (n) <<U+FF24>>ELETE n
// ---
// name: a Cyrillic letter
CR<<U+0415>>ATE (n)
// ---
// name: a Cyrillic letter in MATCH
M<<U+0410>>TCH (n) RETURN n
// ---
// name: a Greek letter
MATCH (n) D<<U+0395>>LETE n
// ---
// name: a long s
MATCH (n) <<U+017F>>ET n.x = 1
// ---
// name: a dotless i in a function
RETURN l<<U+0131>>nenumber()
// ---
// name: a Kelvin sign in a function
RETURN <<U+212A>>eys({a: 1})
// ---
// name: a zero-width space
MATCH (n) DEL<<U+200B>>ETE n
// ---
// name: a zero-width joiner
MATCH (n) SE<<U+200D>>T n.x = 1
// ---
// name: a soft hyphen
MATCH (n) DE<<U+00AD>>LETE n
// ---
// name: a byte order mark
<<U+FEFF>>CREATE (n)
// ---
// name: a right-to-left override
MATCH (n) <<U+202E>>DELETE n
// ---
// name: a null character
MATCH (n)<<U+0000>>DELETE n
// ---
// name: a vertical tab
MATCH (n)<<U+000B>>DELETE n
// ---
// name: a form feed in a comment
MATCH (n) // x<<U+000C>>DELETE n
RETURN 1
// ---
// name: a line separator in a comment
MATCH (n) // x<<U+2028>>DELETE n
RETURN 1
// ---
// name: a paragraph separator in a comment
MATCH (n) // x<<U+2029>>DELETE n
RETURN 1
// ---
// name: a next-line character in a comment
MATCH (n) // x<<U+0085>>DELETE n
RETURN 1
// ---
// name: a carriage return alone in a comment
MATCH (n) // x<<U+000D>>DELETE n /*
RETURN 1 //*/
// ---
// name: a file separator as a blank
MATCH (n)<<U+001C>>DELETE n
// ---
// name: a no-break space as a blank
// word: DELETE
MATCH (n)<<U+00A0>>DELETE n
// ---
// name: an ideographic space as a blank
// word: DELETE
MATCH (n)<<U+3000>>DELETE<<U+2003>>n
// ---
// name: bytes that are not UTF-8
MATCH (n) WHERE n.x = '<<xC0>><<xA7>>' DELETE n
// ---
// name: a lone continuation byte
RETURN 1 <<x80>> AS x
// ---
// name: a surrogate as bytes
RETURN '<<xED>><<xA0>><<x80>>' AS x
// ---
// word: /*
MATCH (n) /* never closed
// ---
// word: '
RETURN 'never closed
// ---
// word: `
RETURN `never closed
// ---
RETURN (1
// ---
RETURN 1)
// ---
RETURN [1)
// ---
// word: DELETE
MATCH (n)/**/DELETE/**/n
// ---
// word: DELETE
MATCH (n)//
DELETE//
n
// ---
// word: DELETE
MATCH (n) /*/ RETURN 1 /*/ DELETE n
// ---
// word: DELETE
MATCH (n) /* /* */ DELETE n /* */
// ---
// word: DELETE
MATCH (n) // */ /*
DELETE n
// ---
// word: DELETE
MATCH (n {a: '/*'}) DELETE n //*/ RETURN 1
// ---
// word: DELETE
MATCH (n {a: "//"}) DELETE n
// ---
// word: DELETE
MATCH (n:`//`) DELETE n
// ---
// word: DELETE
MATCH (n:`a``b /*`) DELETE n /* `*/
// ---
// word: DELETE
MATCH (n {a: '\'//'}) DELETE n
// ---
// word: CREATE
// only a comment
CREATE (n)
// ---
// word: CREATE
/* MATCH (n) RETURN n */ CREATE (n)
// ---
// word: ;
;CREATE (n)
// ---
RETURN 1;;
// ---
// word: CREATE
RETURN 1; CREATE (n)
// ---
// word: MATCH
MATCH (n) RETURN n; MATCH (m) DETACH DELETE m;
// ---
// word: DROP
RETURN 1 /* ; */ ; DROP INDEX foo
// ---
// word: :
:play movies
// ---
// word: CREATE
EXPLAIN CREATE (n)
// ---
// word: DELETE
PROFILE MATCH (n) DELETE n
// ---
// word: PROFILE
EXPLAIN PROFILE MATCH (n) RETURN n
// ---
// word: CYPHER
CYPHER runtime=parallel MATCH (n) RETURN n
// ---
// word: CYPHER
CYPHER 25 MATCH (n) RETURN n
// ---
// word: CYPHER
CYPHER 4.4 MATCH (n) RETURN n
// ---
// word: CREATE
CYPHER 5 CREATE (n)
// ---
CYPHER 5 runtime=slotted RETURN 1
// ---
// word: CYPHER
CYPHER planner=dp RETURN 1
// ---
// word: CYPHER
CYPHER 5 = 5 RETURN 1
// ---
// word: USE
USE system SHOW USERS
// ---
// word: USE
USE neo4j MATCH (n) RETURN n
// ---
// word: USE
USE graph.byName('x') MATCH (n) RETURN n
// ---
// word: graph.byName
RETURN graph.byName('x')
// ---
// word: USE
EXPLAIN USE neo4j RETURN 1
// ---
/* */
RETURN
// ---
// name: nothing but blanks

   
// ---
// name: nothing but a comment
// word: the end of the query
/* nothing */
// ---
MATCH (n) RETURN n NEXT MATCH (m) DELETE m
// ---
MATCH (n) FILTER n.x = 1 RETURN n
// ---
LET x = 1 RETURN x
// ---
WHEN true THEN RETURN 1 ELSE CREATE (n)
// ---
SELECT * FROM users
// ---
{ query: 'x' }
// ---
RETURN 1 AS x WHERE
// ---
BEGIN
// ---
COMMIT
// ---
MATCH (n) RETURN n.x = 1, n SET
