// Prints what Go's archive/zip makes of each archive named on a line of the input, as a line of JSON.
package main

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

type contents struct {
	Files [][2]string `json:"files"`
	Error string      `json:"error,omitempty"`
}

func look(path string) (found contents) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return contents{Error: err.Error()}
	}
	defer archive.Close()
	for _, entry := range archive.File {
		mode := entry.Mode()
		if mode.IsDir() {
			continue
		}
		if !mode.IsRegular() {
			found.Files = append(found.Files, [2]string{entry.Name, mode.Type().String()})
			continue
		}
		digest := sha256.New()
		reader, err := entry.Open()
		if err == nil {
			_, err = io.Copy(digest, reader)
		}
		if err != nil {
			return contents{Error: entry.Name + ": " + err.Error()}
		}
		reader.Close()
		found.Files = append(found.Files, [2]string{entry.Name, fmt.Sprintf("%x", digest.Sum(nil))})
	}
	return found
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, _ := json.Marshal(look(lines.Text()))
		fmt.Println(string(answer))
	}
}
