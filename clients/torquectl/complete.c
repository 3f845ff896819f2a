/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/complete.c - completion for bash, zsh and fish, out of the tables. */
#include <string.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/values.h"

static void put_options(unsigned bits)
{
    for (size_t i = 0; i < ctl_n_option; i++) {
        if (ctl_options[i].bit == 0 || (ctl_options[i].bit & bits) != 0) {
            printf(" --%s", ctl_options[i].name);
        }
    }
}

static void put_field_names(const char *operation)
{
    size_t n = 0;
    const ctl_field *fields = ctl_fields(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i].operation, operation) == 0 && strchr(fields[i].path, '.') == NULL) {
            printf(" %s=", fields[i].path);
        }
    }
}

/* first words of commands, or what follows one of them; each once */
static void put_words(const char *noun)
{
    const char *last = "";
    for (size_t i = 0; i < ctl_n_command; i++) {
        const char *name = ctl_commands[i].name, *space = strchr(name, ' ');
        const size_t n = space != NULL ? (size_t)(space - name) : strlen(name);
        if (noun == NULL && (strlen(last) < n || strncmp(last, name, n) != 0)) {
            printf(" %.*s", (int)n, name);
            last = name;
        } else if (noun != NULL && space != NULL && strncmp(name, noun, n) == 0 && noun[n] == ' ') {
            printf(" %s", space + 1);
        }
    }
}

/* -------------------------------------------------- bash */

static void put_bash_values(void)
{
    for (size_t i = 0; i < ctl_n_option; i++) {
        const ctl_option *o = &ctl_options[i];
        if (o->argument == NULL) {
            continue;
        }
        printf("    --%s", o->name);
        if (o->letter != 0) {
            printf("|-%c", o->letter);
        }
        if (strcmp(o->words, "FILE") == 0) {
            fputs(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", stdout);
        } else if (strcmp(o->words, "CONTEXT") == 0) {
            fputs(") COMPREPLY=($(compgen -W \"$(torquectl contexts -o csv 2>/dev/null | sed "
                  "'1d;s/,.*//')\" -- \"$word\")); return ;;\n",
                  stdout);
        } else {
            printf(") COMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return ;;\n", o->words);
        }
    }
}

/* "simulate solver.method" -> its words */
static void put_bash_fields(void)
{
    size_t n = 0;
    const ctl_field *fields = ctl_fields(&n);
    for (size_t c = 0; c < ctl_n_command; c++) {
        for (size_t i = 0; i < n && ctl_commands[c].operation != NULL; i++) {
            if (fields[i].words[0] != '\0' &&
                strcmp(fields[i].operation, ctl_commands[c].operation) == 0) {
                printf("    '%s %s') COMPREPLY=($(compgen -W \"%s\" -- \"$value\")); return ;;\n",
                       ctl_commands[c].name, fields[i].path, fields[i].words);
            }
        }
    }
}

/* the noun that lists what the first argument of a command names; NULL: something else */
static const char *names_of(const ctl_command *c)
{
    const bool is_new = strcmp(c->name, "datasets put") == 0;
    if (strncmp(c->arguments, "ROBOT", 5) == 0 || strncmp(c->name, "robots ", 7) == 0) {
        return strncmp(c->arguments, "FILE", 4) == 0 || c->most == 0 ? NULL : "robots";
    }
    if (strncmp(c->name, "datasets ", 9) == 0 && c->most > 0 && !is_new) {
        return "datasets";
    }
    return strncmp(c->name, "jobs ", 5) == 0 && c->most > 0 ? "jobs" : NULL;
}

static void put_bash(void)
{
    fputs("# bash completion of torquectl: torquectl completion bash\n"
          "_torquectl_names() {\n"
          "    torquectl \"$1\" -o csv --timeout 1 --retries 0 2>/dev/null | sed '1d;s/,.*//'\n"
          "}\n"
          "_torquectl() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local noun= verb= key= value= n=0 i\n"
          "    case $word in =) key=$before ;; *=*) key=${word%%=*} value=${word#*=} ;; esac\n"
          "    [ \"$before\" = = ] && key=${COMP_WORDS[COMP_CWORD-2]} value=$word\n"
          "    case $before in\n",
          stdout);
    put_bash_values();
    fputs("    esac\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i]} in\n"
          "        -*) ;;\n"
          "        *) if [ -z \"$noun\" ]; then noun=${COMP_WORDS[i]}; elif [ -z \"$verb\" ]; then "
          "verb=${COMP_WORDS[i]}; fi; n=$((n + 1)) ;;\n"
          "        esac\n"
          "    done\n"
          "    case \"$noun $key\" in\n",
          stdout);
    put_bash_fields();
    fputs("    esac\n"
          "    compopt -o default 2>/dev/null\n"
          "    case \"$noun $verb\" in\n"
          "    ' ') COMPREPLY=($(compgen -W \"",
          stdout);
    put_words(NULL);
    put_options(0);
    fputs("\" -- \"$word\")) ;;\n", stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        const ctl_command *c = &ctl_commands[i];
        const char *space = strchr(c->name, ' ');
        const bool is_first =
            i == 0 || space == NULL ||
            strncmp(ctl_commands[i - 1].name, c->name, (size_t)(space - c->name) + 1) != 0;
        if (space != NULL && is_first) {
            printf("    '%.*s ') COMPREPLY=($(compgen -W \"", (int)(space - c->name), c->name);
            put_words(c->name);
            fputs("\" -- \"$word\")) ;;\n", stdout);
        }
        const char *names = names_of(c);
        printf("    '%s%s*) COMPREPLY=($(compgen -W \"", c->name, space == NULL ? " '" : "'");
        if (names != NULL) { /* the first argument */
            printf("$([ $n = %d ] && _torquectl_names %s)", space == NULL ? 1 : 2, names);
        }
        if (c->operation != NULL) {
            put_field_names(c->operation);
        }
        put_options(c->options);
        fputs("\" -- \"$word\")) ;;\n", stdout);
    }
    fputs("    esac\n"
          "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
          "    return 0\n"
          "}\n"
          "complete -F _torquectl torquectl\n",
          stdout);
}

/* -------------------------------------------------- zsh */

/* between single quotes */
static void put_quoted(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else if (*text == ':' || *text == '[' || *text == ']') {
            printf("\\%c", *text);
        } else if (*text != '`' && *text != '$') {
            putchar(*text);
        }
    }
}

static void put_zsh(void)
{
    fputs("#compdef torquectl\n# zsh completion of torquectl: torquectl completion zsh\n"
          "_torquectl() {\n"
          "    local -a commands options fields\n"
          "    commands=(\n",
          stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        fputs("        '", stdout);
        put_quoted(ctl_commands[i].name);
        putchar(':');
        put_quoted(ctl_commands[i].summary);
        fputs("'\n", stdout);
    }
    fputs("    )\n    options=(\n", stdout);
    for (size_t i = 0; i < ctl_n_option; i++) {
        printf("        '--%s:", ctl_options[i].name);
        put_quoted(ctl_options[i].text);
        fputs("'\n", stdout);
    }
    fputs("    )\n"
          "    case $words[CURRENT-1] in\n"
          "    -o|--output) compadd table json yaml csv npy npz; return ;;\n"
          "    -f|--file|-i|--input|--token-file) _files; return ;;\n"
          "    esac\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands -- options\n"
          "        return\n"
          "    fi\n"
          "    case $words[2] in\n",
          stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        const ctl_command *c = &ctl_commands[i];
        const char *space = strchr(c->name, ' ');
        const bool is_first =
            i == 0 || space == NULL ||
            strncmp(ctl_commands[i - 1].name, c->name, (size_t)(space - c->name) + 1) != 0;
        if (space != NULL && is_first) {
            printf("    %.*s) (( CURRENT == 3 )) && compadd --", (int)(space - c->name), c->name);
            put_words(c->name);
            fputs(" ;;\n", stdout);
        } else if (c->operation != NULL) {
            printf("    %s) compadd -S '' --", c->name);
            put_field_names(c->operation);
            fputs(" ;;\n", stdout);
        }
    }
    fputs("    esac\n    _describe option options\n    _files\n}\n"
          "[ \"$funcstack[1]\" = _torquectl ] && _torquectl || compdef _torquectl torquectl\n",
          stdout);
}

/* -------------------------------------------------- fish */

static void put_fish(void)
{
    fputs("# fish completion of torquectl: torquectl completion fish\n", stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        const ctl_command *c = &ctl_commands[i];
        const char *space = strchr(c->name, ' ');
        const int n = space != NULL ? (int)(space - c->name) : (int)strlen(c->name);
        if (i == 0 || strncmp(ctl_commands[i - 1].name, c->name, (size_t)n) != 0 || space == NULL) {
            printf("complete -c torquectl -n __fish_use_subcommand -a %.*s -d '", n, c->name);
            put_quoted(space == NULL ? c->summary : "");
            fputs("'\n", stdout);
        }
        if (space != NULL) {
            printf("complete -c torquectl -n '__fish_seen_subcommand_from %.*s' -a %s -d '", n,
                   c->name, space + 1);
            put_quoted(c->summary);
            fputs("'\n", stdout);
        }
        if (c->operation != NULL) {
            printf("complete -c torquectl -n '__fish_seen_subcommand_from %s' -a '", c->name);
            put_field_names(c->operation);
            fputs("'\n", stdout);
        }
    }
    for (size_t i = 0; i < ctl_n_option; i++) {
        const ctl_option *o = &ctl_options[i];
        printf("complete -c torquectl -l %s", o->name);
        if (o->letter != 0) {
            printf(" -s %c", o->letter);
        }
        if (strcmp(o->words, "FILE") == 0) {
            fputs(" -rF", stdout);
        } else if (o->argument != NULL) {
            printf(" -x%s%s%s", o->words[0] != '\0' ? " -a '" : "",
                   strcmp(o->words, "CONTEXT") == 0 ? "" : o->words,
                   o->words[0] != '\0' ? "'" : "");
        }
        fputs(" -d '", stdout);
        put_quoted(o->text);
        fputs("'\n", stdout);
    }
}

int ctl_completion(ctl *c, int n, char **arguments)
{
    (void)n;
    if (strcmp(arguments[0], "bash") == 0) {
        put_bash();
    } else if (strcmp(arguments[0], "zsh") == 0) {
        put_zsh();
    } else if (strcmp(arguments[0], "fish") == 0) {
        put_fish();
    } else {
        return ctl_misused(c, "there is no completion for \"%.40s\"", arguments[0]);
    }
    return CTL_DONE;
}
